package faultsite

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A responder sends the response to a request over HTTP/1. It reports whether the connection
// stays open.
type responder func(x *exchange) (keep bool)

// An ending says what happens to a connection after a response or a part of it.
type ending int

const (
	keep  ending = iota // keep the connection open
	shut                // close it
	reset               // reset it (RST)
	hang                // send nothing until the client goes
)

// linger is the time between the last byte of a response and a reset, which may overtake it
// otherwise.
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

// raw returns a responder that sends a text, with \n sent as \r\n. The placeholders describe the
// healthy response:
//
//	{head}    status line and Content-Type
//	{body}    body
//	{half}    first half of the body
//	{len}     length of the body; {hex}: in hexadecimal
//	{type}    media type
//	{path}    requested path
func raw(then ending, text string) responder {
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

// body returns a responder with the body that text returns, correctly framed.
func body(text func(x *exchange) []byte) responder {
	return func(x *exchange) bool {
		x.sendBody("", text(x))
		return true
	}
}

// sendBody sends a response with more header fields and a body, correctly framed.
func (x *exchange) sendBody(fields string, b []byte) {
	x.sendLast(x.fill("{head}"+fields+"Content-Length: "+strconv.Itoa(len(b))+"\r\n\r\n") + string(b))
}

// pieces returns a responder that sends a text in n pieces, one per byteInterval.
func pieces(n int, text string) responder {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	return func(x *exchange) bool {
		whole := x.fill(text)
		size := (len(whole) + n - 1) / n
		for len(whole) > size {
			if !x.send(whole[:size]) || !x.wait(byteInterval) {
				return false
			}
			whole = whole[size:]
		}
		x.sendLast(whole)
		return true
	}
}

// drip returns a responder that sends a text and then repeats a unit forever, once per
// byteInterval.
func drip(text, unit string) responder { return flow(text, unit, true) }

// flood returns a responder that sends a text and then repeats a block forever, as fast as the
// client reads.
func flood(text, block string) responder { return flow(text, block, false) }

// burst is the number of bytes that a flood sends per byteInterval, so that many floods can run
// at a time.
const burst = 1 << 20

func flow(text, unit string, slow bool) responder {
	text, unit = strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(unit, "\n", "\r\n")
	return func(x *exchange) bool {
		sent := 0
		for ok := x.send(x.fill(text)); ok; ok = ok && x.send(unit) {
			if sent += len(unit); slow || sent > burst {
				sent, ok = 0, x.wait(byteInterval)
			}
		}
		return false
	}
}

// reused returns a responder that uses again on connections with an earlier response, and first
// on new ones.
func reused(again, first responder) responder {
	return func(x *exchange) bool {
		if x.nth > 1 {
			return again(x)
		}
		return first(x)
	}
}

// fill replaces the placeholders in a text; see raw.
func (x *exchange) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	text = strings.ReplaceAll(text, "{head}", "HTTP/1.1 200 OK\r\nContent-Type: {type}\r\n")
	b := string(x.good.body)
	return strings.NewReplacer("{body}", b, "{half}", b[:len(b)/2], "{len}", strconv.Itoa(len(b)),
		"{hex}", fmt.Sprintf("%x", len(b)), "{type}", x.good.mediaType, "{path}", x.path).Replace(text)
}

// statusOf returns the status of a response and its Retry-After, or zero for each that it lacks.
func statusOf(answer string) (status int, retryAfter time.Duration) {
	head, _, _ := strings.Cut(answer[:min(len(answer), 4096)], "\r\n\r\n")
	if _, rest, ok := strings.Cut(head, " "); ok && strings.HasPrefix(head, "HTTP/") {
		code, _, _ := strings.Cut(rest, " ")
		status, _ = strconv.Atoi(strings.TrimSpace(code)) // zero if it is no number
	}
	if _, rest, ok := strings.Cut(head, "\r\nRetry-After: "); ok {
		value, _, _ := strings.Cut(rest, "\r\n")
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			retryAfter = time.Duration(n) * time.Second
		}
	}
	return status, retryAfter
}
