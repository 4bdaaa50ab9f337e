package faultsite

import "strings"

// statusLines returns responses with an invalid or unusual status line.
func statusLines() []*Fault {
	const says = "valid HTTP"
	return []*Fault{
		noResponse("http-0.9", "responds with the body only, as in HTTP/0.9", says, raw(shut, "{body}")),
		noResponse("garbage", "responds with random bytes", says, raw(shut, "\x00\xff\x13\x37 garbage\x00\n\n{body}")),
		noResponse("no-status", "omits the status", says, raw(shut, "HTTP/1.1\n\n{body}")),
		noResponse("short-status", "has a status of two digits", says, raw(shut, "HTTP/1.1 20 OK\n\n{body}")),
		noResponse("word-for-status", "has a word for a status", says, raw(shut, "HTTP/1.1 two OK\n\n{body}")),
		noResponse("negative-status", "has a negative status", says, raw(shut, "HTTP/1.1 -20 OK\n\n{body}")),
		noResponse("another-protocol", "responds with another protocol", says, raw(shut, "SSH-2.0-OpenSSH_9.9\n")),
		noResponse("shoutcast", "responds like a Shoutcast server", says, raw(shut, "ICY 200 OK\nContent-Type: {type}\n\n{body}")),
		noResponse("endless-reason", "sends a status line without end", "header", flood("HTTP/1.1 200 ", strings.Repeat("OK ", 1<<10))),
		noResponse("status-000", "has the status 000", "000", raw(shut, "HTTP/1.1 000 Nothing\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
		errorStatus("status-999", "has the status 999", 999, raw(keep, "HTTP/1.1 999 Request denied\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
		fault("status-299", "has an unknown status of success", whole().status(299), rules().status(299), read().status(299),
			raw(keep, "HTTP/1.1 299 Fine\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
		noResponse("status-101", "switches to a protocol that was not requested", "101", raw(hang, "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\n")),
	}
}

// interim returns faults of interim responses.
func interim() []*Fault {
	const hints = "HTTP/1.1 103 Early Hints\nLink: </style.css>; rel=preload\n\n"
	return []*Fault{
		harmless("early-hints", "sends hints before the response", raw(keep, hints+"{head}Content-Length: {len}\n\n{body}")),
		harmless("many-early-hints", "sends a hundred hints before the response", raw(keep, strings.Repeat(hints, 100)+"{head}Content-Length: {len}\n\n{body}")),
		harmless("continue-unasked", "sends 100 Continue without a reason", raw(keep, "HTTP/1.1 100 Continue\n\n{head}Content-Length: {len}\n\n{body}")),
		noResponse("endless-early-hints", "sends hints without end", "header", flood("", strings.Repeat(hints, 50))),
		noResponse("large-early-hints", "sends hints without end, each of them large", "header", flood("", "HTTP/1.1 103 Early Hints\nX-Large: "+strings.Repeat("large", 10<<10)+"\n\n")),
		stalls("hints-and-no-more", "sends hints, and then nothing", "within", raw(hang, hints)),
		noResponse("hints-and-closed", "sends hints, and closes the connection", "the response ends", raw(shut, hints)),
	}
}
