#!tests/lib/row
# skip: /usr/lib/R/site-library/RSQLite
# row: R, RSQLite
# run: Rscript app.R
# class: Rcpp::exception
# asks: run get
library(DBI)
{1}
loaded <- {2}
for (line in readLines("questions")) {
  question <- strsplit(line, "\t")[[1]]
  values <- lapply(question[-(1:2)], function(value) {
    if (grepl("^x[0-9a-f]+$", value)) {
      pairs <- substring(value, seq(2, nchar(value), 2), seq(3, nchar(value), 2))
      list(as.raw(strtoi(pairs, 16L)))
    } else if (startsWith(value, "#")) as.integer(substring(value, 2))
    else value
  })
  answer <- tryCatch(switch(question[1],
    run = { dbExecute(db, question[2]); "" },
    get = dbGetQuery(db, question[2], params = if (length(values)) values)[[1]][[1]]
  ), error = function(error) paste0(class(error)[1], ": ", conditionMessage(error)))
  if (is.raw(answer)) answer <- paste0("x", paste(answer, collapse = ""))
  cat(answer, "\n", sep = "")
}
