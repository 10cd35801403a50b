# For shell scripts: apt-get and apt-cache with a state of their own, in the folder
# $work. They read the lists of sources in $work/sources, and nothing is installed.
mkdir -p "$work/sources" "$work/lists/partial" "$work/cache/archives/partial"
cat >"$work/apt.conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/sources";
Dir::State "$work";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$work/cache";
APT::Sandbox::User "";
END
export APT_CONFIG="$work/apt.conf"

# apt_source NAME: unpacks the source of Debian's package NAME into the current
# folder, from the archive that apt uses here. If a part of the archive is out of
# reach, it unpacks an older version.
apt_source() {
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    test -e "$list" || continue
    case $list in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" ;;
      *.list) sed -n 's/^deb /deb-src /p' "$list" ;;
    esac >"$work/sources/${list##*/}"
  done
  apt-get -qq update >&2 || :
  for version in $(apt-cache showsrc "$1" | sed -n 's/^Version: //p' | sort -rV); do
    ! apt-get -qq source "$1=$version" >&2 || return 0
  done
  return 1
}
