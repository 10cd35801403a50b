#!tests/lib/row
// skip: /usr/bin/go
// skip: /usr/share/gocode/src/github.com/mattn/go-sqlite3
// row: Go, mattn/go-sqlite3, from a file
// run: go mod init app && go mod edit -require=github.com/mattn/go-sqlite3@v0.0.0 -replace=github.com/mattn/go-sqlite3=/usr/share/gocode/src/github.com/mattn/go-sqlite3 && GOCACHE=$BUILD/interop/go GOFLAGS=-mod=mod GOPROXY=off GOSUMDB=off go run app.go
// class: sqlite3.Error
// asks: run get
package main

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-sqlite3"
)

func main() {
	{1}
	{2}
	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(1)
	read, _ := os.ReadFile("questions")
	for _, line := range strings.Split(strings.TrimSpace(string(read)), "\n") {
		question := strings.Split(line, "\t")
		var values []any
		for _, field := range question[2:] {
			if blob, err := hex.DecodeString(field[1:]); field[0] == 'x' && err == nil {
				values = append(values, blob)
			} else if number, err := strconv.Atoi(field[1:]); field[0] == '#' && err == nil {
				values = append(values, number)
			} else {
				values = append(values, field)
			}
		}
		var answer any = ""
		if question[0] == "run" {
			_, err = db.Exec(question[1])
		} else {
			err = db.QueryRow(question[1], values...).Scan(&answer)
		}
		if blob, is := answer.([]byte); is {
			answer = "x" + hex.EncodeToString(blob)
		}
		if err != nil {
			answer = fmt.Sprintf("%T: %v", err, err)
		}
		fmt.Println(answer)
	}
}
