// The time as nanoseconds since 1970, read in Go: by time.Now, and by the scheme of kiriklo/fastnano,
// which reads the wall's time once and adds what the monotonic clock says has passed since.
//
// It reads lines from standard input, each the name of a way and a number; reads the time that many
// times, and answers with the last one.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

var (
	begun = time.Now()
	epoch = begun.UnixNano()
)

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		var way string
		var count int
		if _, err := fmt.Fscan(input, &way, &count); err != nil {
			return
		}
		var last int64
		switch way {
		case "now":
			for range count {
				last = time.Now().UnixNano()
			}
		case "since":
			for range count {
				last = int64(time.Since(begun)) + epoch
			}
		}
		fmt.Println(last)
	}
}
