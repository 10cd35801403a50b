fn main() {
    cc::Build::new()
        .file("bloom.c")
        .include(".")
        .define("SQLITE_CORE", None)
        .compile("sqlite_bloom");
    println!("cargo:rerun-if-changed=bloom.c");
    if std::env::var_os("CARGO_CFG_UNIX").is_some() {
        println!("cargo:rustc-link-lib=m");
    }
}
