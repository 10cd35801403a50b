#!tests/lib/row
# skip: /usr/bin/tclsh
# row: Tcl
# run: tclsh app.tcl
# class: error
package require sqlite3
sqlite3 db app.db
{1}
{2}

# A parameter of the question stands in its SQL as the name of a variable.
proc ask {kind sql args} {
  foreach value $args name {a b} {
    if {[regexp {^x([0-9a-f]+)$} $value all digits]} {
      set f [binary decode hex $digits]
      regsub {\?} $sql {{3}} sql
    } else {
      if {[regexp {^#(.*)} $value all digits]} { set value [expr {$digits + 0}] }
      set $name $value
      regsub {\?} $sql \$$name sql
    }
  }
  if {$kind eq "get"} { return [db onecolumn $sql] }
  if {$kind eq "run"} { db eval $sql; return {} }
  db eval $sql {
    # The next question comes while this statement runs, and then it is closed.
    puts $email
    answer [gets $::questions]
    gets $::questions
    return {}
  }
}
proc answer {line} {
  if {[catch {ask {*}[split $line \t]} said]} { set said "error: $said" }
  if {[string match "\x11*" $said]} { set said x[binary encode hex $said] }
  puts $said
}
set questions [open questions]
while {[gets $questions line] >= 0} { answer $line }
