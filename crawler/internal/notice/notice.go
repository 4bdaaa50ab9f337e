// Package notice tells the operator of a crawl, in single lines, what to know at once.
package notice

import (
	"fmt"
	"sync"
	"time"
)

// A Board shows lines to the operator. It is safe for concurrent use if its function is.
type Board struct {
	show func(line string)
}

// New returns a board that shows each line with a function, or no line if it is nil.
func New(show func(line string)) *Board { return &Board{show} }

// Show shows a line, which has no newline. A nil board shows nothing.
func (b *Board) Show(line string) {
	if b != nil && b.show != nil {
		b.show(line)
	}
}

// Showf shows a line with a format of package fmt.
func (b *Board) Showf(format string, args ...any) { b.Show(fmt.Sprintf(format, args...)) }

// maxHosts is the number of hosts and kinds that Hosts name. In a crawl of many hosts some
// always have problems.
const maxHosts = 20

// Hosts tells the operator something about hosts as soon as it is known, such as why they are not
// read. It shows each kind once for a host.
type Hosts struct {
	board *Board
	rest  string

	mu   sync.Mutex      // guards seen
	seen map[string]bool // by host and kind
}

// NewHosts returns notices about hosts. Rest is the last line, if there are more than it shows.
func NewHosts(board *Board, rest string) *Hosts { return &Hosts{board: board, rest: rest} }

// Show shows a line, unless the host had one of this kind or too many were shown, and returns
// whether it is the first of this kind for the host. The kind must not have text that varies, such as
// a time.
func (n *Hosts) Show(host, kind, line string) (first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := host + " " + kind
	if n.seen[key] {
		return false
	}
	if n.seen == nil {
		n.seen = make(map[string]bool)
	}
	n.seen[key] = true
	switch {
	case len(n.seen) <= maxHosts:
		n.board.Show(line)
	case len(n.seen) == maxHosts+1:
		n.board.Show(n.rest)
	}
	return true
}

// Clock writes a time as the summary of the program does.
func Clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 -07:00") }
