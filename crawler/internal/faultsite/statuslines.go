package faultsite

import "strings"

// statusLines are answers that begin with what is no status line, or an odd one.
func statusLines() []*Fault {
	const says = "valid HTTP"
	return []*Fault{
		lost("http-0.9", "answers as in 1991, with the body alone", says, raw(shut, "{body}")),
		lost("garbage", "answers with bytes that mean nothing", says, raw(shut, "\x00\xff\x13\x37 garbage\x00\n\n{body}")),
		lost("no-status", "leaves the status out", says, raw(shut, "HTTP/1.1\n\n{body}")),
		lost("short-status", "has a status of two digits", says, raw(shut, "HTTP/1.1 20 OK\n\n{body}")),
		lost("word-for-status", "has a word for a status", says, raw(shut, "HTTP/1.1 two OK\n\n{body}")),
		lost("negative-status", "has a negative status", says, raw(shut, "HTTP/1.1 -20 OK\n\n{body}")),
		lost("another-protocol", "answers by another protocol", says, raw(shut, "SSH-2.0-OpenSSH_9.9\n")),
		lost("shoutcast", "answers as a radio station does", says, raw(shut, "ICY 200 OK\nContent-Type: {type}\n\n{body}")),
		lost("endless-reason", "sends a status line without end", "header", flood("HTTP/1.1 200 ", strings.Repeat("OK ", 1<<10))),
		lost("status-000", "has the status 000", "000", raw(shut, "HTTP/1.1 000 Nothing\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
		refuses("status-999", "has the status 999", 999, raw(keep, "HTTP/1.1 999 Request denied\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
		fault("status-299", "has an unknown status of success", whole().status(299), rules().status(299), read().status(299),
			raw(keep, "HTTP/1.1 299 Fine\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
		lost("status-101", "switches to a protocol that was not requested", "101", raw(hang, "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\n")),
	}
}

// interim are answers before the answer.
func interim() []*Fault {
	const hints = "HTTP/1.1 103 Early Hints\nLink: </style.css>; rel=preload\n\n"
	return []*Fault{
		fine("early-hints", "sends hints before the answer", raw(keep, hints+"{head}Content-Length: {len}\n\n{body}")),
		fine("many-early-hints", "sends a hundred hints before the answer", raw(keep, strings.Repeat(hints, 100)+"{head}Content-Length: {len}\n\n{body}")),
		fine("continue-unasked", "asks for a body that there is none of", raw(keep, "HTTP/1.1 100 Continue\n\n{head}Content-Length: {len}\n\n{body}")),
		lost("endless-early-hints", "sends hints without end", "header", flood("", strings.Repeat(hints, 50))),
		lost("large-early-hints", "sends hints without end, each of them large", "header", flood("", "HTTP/1.1 103 Early Hints\nX-Large: "+strings.Repeat("large", 10<<10)+"\n\n")),
		waits("hints-and-no-more", "sends hints, and then nothing", "within", raw(hang, hints)),
		lost("hints-and-closed", "sends hints, and closes the connection", "the response ends", raw(shut, hints)),
	}
}
