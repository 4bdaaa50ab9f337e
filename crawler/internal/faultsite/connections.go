package faultsite

// silence are answers that take too long, and some that only look so.
func silence() []*Fault {
	return []*Fault{
		waits("no-answer", "reads the request and never answers", "within", raw(hang, "")),
		waits("slow-status-line", "sends a status line that has no end, a byte at a time", "within", drip("HTTP/1.1 200 ", "O")),
		waits("slow-headers", "sends header fields without end, a byte at a time", "within", drip("{head}X-Slow: ", "w")),
		waits("stop-in-headers", "stops in the middle of a header field", "within", raw(hang, "{head}Content-Le")),
		waits("stop-after-headers", "stops before the body", "stalled", raw(hang, "{head}Content-Length: {len}\n\n")),
		partly(waits("stop-in-body", "stops in the middle of the body", "stalled", raw(hang, "{head}Content-Length: {len}\n\n{half}"))),
		complete(waits("stop-before-end", "sends the whole body, and not the end of it", "stalled", raw(hang, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n"))),
		partly(waits("slow-body", "sends a body without end, a byte at a time", "stalled", drip("{head}\n{half}", " "))),
		waits("slow-chunks", "sends chunks of a byte without end, one at a time", "stalled", drip("{head}Transfer-Encoding: chunked\n\n", "1\n \n")),
		waits("slow-early-hints", "sends interim answers without end, one at a time", "within", drip("", "HTTP/1.1 103 Early Hints\nLink: </x>\n\n")),
		fine("late", "takes its time before it answers", func(x *exchange) bool { return x.wait(5*x.site.beat) && x.sound() }),
		fine("slow-but-whole", "sends the answer in pieces", pieces(10, "{head}Content-Length: {len}\n\n{body}")),
		fine("slow-chunks-but-whole", "sends the answer in pieces, and those in chunks", pieces(10, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n0\n\n")),
	}
}

// broken are connections that end before the answer does.
func broken() []*Fault {
	return []*Fault{
		again(lost("close-before-status", "closes the connection instead of an answer, each one anew", "closed", raw(shut, ""))),
		again(lost("reset-before-status", "resets the connection instead of an answer, each one anew", "reset", raw(reset, ""))),
		again(fine("close-reused", "closes the connection instead of an answer, if it has carried one before", reused(raw(shut, ""), (*exchange).sound))),
		again(fine("reset-reused", "resets the connection instead of an answer, if it has carried one before", reused(raw(reset, ""), (*exchange).sound))),
		again(fine("timeout-reused", "answers 408 if the connection has carried an answer before", reused(raw(keep, "HTTP/1.1 408 Request Timeout\nContent-Length: 0\n\n"), (*exchange).sound))),
		fine("timeout-idle", "says 408 after the answer, and closes the connection", raw(shut, "{head}Content-Length: {len}\n\n{body}HTTP/1.1 408 Request Timeout\nConnection: close\nContent-Length: 0\n\n")),
		again(absent("timeout-always", "answers 408", 408, raw(keep, "HTTP/1.1 408 Request Timeout\nContent-Length: 0\n\n"))),
		fine("close-unannounced", "closes the connection after the answer, without having said so", raw(shut, "{head}Content-Length: {len}\n\n{body}")),
		fine("reset-unannounced", "resets the connection after the answer", raw(reset, "{head}Content-Length: {len}\n\n{body}")),
		fine("old-protocol", "answers by HTTP/1.0, and closes the connection", raw(shut, "HTTP/1.0 200 OK\nContent-Type: {type}\n\n{body}")),
		lost("close-in-status", "closes the connection in the middle of the status line", "valid HTTP", raw(shut, "HTTP/1.1 20")),
		lost("reset-in-status", "resets the connection in the middle of the status line", "valid HTTP", raw(reset, "HTTP/1.1 20")),
		lost("close-in-headers", "closes the connection in the middle of a header field", "valid HTTP", raw(shut, "{head}Content-Le")),
		lost("reset-in-headers", "resets the connection in the middle of a header field", "valid HTTP", raw(reset, "{head}Content-Le")),
		partly(lost("close-in-body", "closes the connection in the middle of the body", "the response ends", raw(shut, "{head}Content-Length: {len}\n\n{half}"))),
		partly(lost("reset-in-body", "resets the connection in the middle of the body", "reset", raw(reset, "{head}Content-Length: {len}\n\n{half}"))),
		partly(lost("reset-in-open-body", "resets the connection in the middle of a body of no stated length", "reset", raw(reset, "{head}\n{half}"))),
		partly(lost("close-in-chunk", "closes the connection in the middle of a chunk", "the response ends", raw(shut, "{head}Transfer-Encoding: chunked\n\n{hex}\n{half}"))),
		complete(lost("close-before-last-chunk", "closes the connection before the last chunk", "the response ends", raw(shut, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n"))),
		complete(lost("reset-before-last-chunk", "resets the connection before the last chunk", "reset", raw(reset, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n"))),
	}
}
