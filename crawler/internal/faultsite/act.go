package faultsite

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An act answers one request over HTTP/1 and tells whether its connection can carry
// another.
type act func(x *exchange) (keep bool)

// An ending is what becomes of a connection after an answer, or a part of one.
type ending int

const (
	keep  ending = iota // it waits for the next request
	shut                // it is closed as it should be
	reset               // it is broken off: RST
	hang                // nothing comes any more, for as long as the client stays
)

// linger is the time between the last byte of an answer and a reset, which may overtake
// it otherwise.
const linger = 10 * time.Millisecond

func (e ending) of(x *exchange) (keepIt bool) {
	switch e {
	case keep:
		return true
	case reset:
		x.wait(linger)
		x.peer.reset()
	case hang:
		<-x.peer.left
	case shut:
	}
	return false
}

// raw answers with a text as it stands, whose line ends are written \n and sent \r\n. In
// it stand for
//
//	{head}    a status line and the type: of the answer that was asked for, as are
//	{body}    its body,
//	{half}    the first half of that,
//	{len}     its length, {hex} the same in hexadecimal
//	{type}    the media type
//	{origin}  the origin of the host
//	{path}    the path that was asked for
func raw(then ending, text string) act {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	return func(x *exchange) bool {
		whole := x.fill(text)
		if then == hang {
			x.send(whole)
		} else {
			x.sendLast(whole)
		}
		return then.of(x)
	}
}

// body answers with a body of one's own, as it should be sent.
func body(text func(x *exchange) []byte) act {
	return func(x *exchange) bool {
		b := text(x)
		x.sendLast(x.fill("{head}Content-Length: "+strconv.Itoa(len(b))+"\r\n\r\n") + string(b))
		return true
	}
}

// pieces answers with a text in so many pieces, a beat between any two.
func pieces(n int, text string) act {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	return func(x *exchange) bool {
		whole := x.fill(text)
		size := (len(whole) + n - 1) / n
		for len(whole) > size {
			if !x.send(whole[:size]) || !x.wait(x.site.beat) {
				return false
			}
			whole = whole[size:]
		}
		x.sendLast(whole)
		return true
	}
}

// drip answers with a text, and then one unit after the other for ever, a beat apart.
func drip(text, unit string) act { return flow(text, unit, true) }

// flood answers with a text, and then one block after the other for ever, as fast as
// they are taken.
func flood(text, block string) act { return flow(text, block, false) }

// burst is how much of a flood comes in one beat: there may be many at a time, and others
// who want to be heard.
const burst = 1 << 20

func flow(text, unit string, slow bool) act {
	text, unit = strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(unit, "\n", "\r\n")
	return func(x *exchange) bool {
		sent := 0
		for ok := x.send(x.fill(text)); ok; ok = ok && x.send(unit) {
			if sent += len(unit); slow || sent > burst {
				sent, ok = 0, x.wait(x.site.beat)
			}
		}
		return false
	}
}

// reused answers by one act where its connection has carried an answer before, and else
// by another.
func reused(again, first act) act {
	return func(x *exchange) bool {
		if x.nth > 1 {
			return again(x)
		}
		return first(x)
	}
}

// fill puts what was asked for into a text.
func (x *exchange) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	text = strings.ReplaceAll(text, "{head}", "HTTP/1.1 200 OK\r\nContent-Type: {type}\r\n")
	b := string(x.good.body)
	return strings.NewReplacer("{body}", b, "{half}", b[:len(b)/2], "{len}", strconv.Itoa(len(b)),
		"{hex}", fmt.Sprintf("%x", len(b)), "{type}", x.good.mediaType, "{origin}", x.host.Origin, "{path}", x.path).Replace(text)
}

// statusOf reads the status of an answer, and the seconds of its Retry-After; zero where
// there is none.
func statusOf(answer string) (status int, retryAfter time.Duration) {
	head, _, _ := strings.Cut(answer[:min(len(answer), 4096)], "\r\n\r\n")
	if _, rest, ok := strings.Cut(head, " "); ok && strings.HasPrefix(head, "HTTP/") {
		code, _, _ := strings.Cut(rest, " ")
		status, _ = strconv.Atoi(strings.TrimSpace(code)) // zero when it is none
	}
	if _, rest, ok := strings.Cut(head, "\r\nRetry-After: "); ok {
		value, _, _ := strings.Cut(rest, "\r\n")
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			retryAfter = time.Duration(n) * time.Second
		}
	}
	return status, retryAfter
}
