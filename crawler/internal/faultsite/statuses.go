package faultsite

import (
	"cmp"
	"strings"
)

// statuses returns responses with a status that does not fit the body, or has a special meaning
// for robots.txt.
func statuses() []*Fault {
	withBody := func(status string) responder {
		return raw(keep, "HTTP/1.1 "+status+"\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")
	}
	return []*Fault{
		fault("204-with-body", "says that there is no content, and sends it", fetched(204), rules().status(204).withoutRules(), faulty("empty").status(204),
			withBody("204 No Content")),
		fault("205-with-body", "asks to reset a form, with a body", whole().status(205), rules().status(205).withoutRules(), read().status(205),
			withBody("205 Reset Content")),
		fault("206-unasked", "sends a part that was not requested", whole().status(206), unreachable("206"), read().status(206),
			raw(keep, "HTTP/1.1 206 Partial Content\nContent-Type: {type}\nContent-Range: bytes 0-9/1000\nContent-Length: {len}\n\n{body}")),
		errorStatus("304-unasked", "says that nothing has changed, without a conditional request", 304, raw(keep, "HTTP/1.1 304 Not Modified\nETag: \"x\"\n\n")),
		errorStatus("304-with-body", "says that nothing has changed, and sends it", 304, withBody("304 Not Modified")),
		stalls("answer-to-head", "sends headers only, as for HEAD", "stalled", raw(hang, "{head}Content-Length: {len}\n\n")),
		fault("empty", "sends an empty body", fetched(200), rules().withoutRules(), faulty("empty"),
			raw(keep, "{head}Content-Length: 0\n\n")),
		fault("empty-and-closed", "sends a header, and closes the connection", fetched(200), rules().withoutRules(), faulty("empty"),
			raw(shut, "{head}\n")),
		notFound("not-found", "responds with 404 and the content", 404, withBody("404 Not Found")),
		notFound("unauthorized", "requires a password", 401, withBody("401 Unauthorized\nWWW-Authenticate: Basic realm=\"x\"")),
		errorStatus("proxy-password", "requires a password for a proxy", 407, withBody("407 Proxy Authentication Required\nProxy-Authenticate: Basic realm=\"x\"")),
		fault("type-lies", "has a wrong Content-Type", fetched(200), rules(), read(),
			raw(keep, "HTTP/1.1 200 OK\nContent-Type: image/png\nContent-Length: {len}\n\n{body}")),
		harmless("type-missing", "has no Content-Type", raw(keep, "HTTP/1.1 200 OK\nContent-Length: {len}\n\n{body}")),
		harmless("type-garbage", "has an invalid Content-Type", raw(keep, "HTTP/1.1 200 OK\nContent-Type: text/html;;; charset=\"\x80;=/\nContent-Length: {len}\n\n{body}")),
		harmless("charset-unknown", "names an unknown charset", raw(keep, "HTTP/1.1 200 OK\nContent-Type: text/html; charset=x-martian\nContent-Length: {len}\n\n{body}")),
	}
}

// redirects returns redirects without a valid target.
func redirects() []*Fault {
	nowhere := func(name, does, location string) *Fault {
		return errorStatus(name, does, 302, raw(keep, "HTTP/1.1 302 Found\n"+location+"Content-Length: 0\n\n"))
	}
	chained := Want{Outcome: Chained, Status: 302}
	return []*Fault{
		notFound("redirect-to-itself", "redirects to the same URL", 302, raw(keep, "HTTP/1.1 302 Found\nLocation: {path}\nContent-Length: 0\n\n")),
		notFound("redirect-in-a-circle", "redirects in a loop", 301,
			func(x *exchange) bool {
				next := cmp.Or(map[string]string{faultPath + "/1": faultPath + "/2", faultPath + "/2": faultPath + "/3"}[x.path], faultPath+"/1")
				x.sendLast("HTTP/1.1 301 Moved Permanently\r\nLocation: " + next + "\r\nContent-Length: 0\r\n\r\n")
				return true
			}),
		fault("redirect-without-end", "redirects to another URL each time", chained, open(302), chained,
			func(x *exchange) bool {
				x.sendLast("HTTP/1.1 302 Found\r\nLocation: " + faultPath + "/" + strings.Repeat("x", strings.Count(x.path, "x")+1) + "\r\nContent-Length: 0\r\n\r\n")
				return true
			}),
		nowhere("location-missing", "redirects without a Location", ""),
		nowhere("location-empty", "redirects to an empty Location", "Location: \n"),
		nowhere("location-garbage", "redirects to an invalid URL", "Location: http://[::1:bad/\xff%%\n"),
		nowhere("location-script", "redirects to a script", "Location: javascript:alert(1)\n"),
		nowhere("location-file", "redirects to a local file", "Location: file:///etc/passwd\n"),
		fault("location-long", "redirects to a URL of 100 KiB", fetched(302), open(404), missing(302),
			raw(keep, "HTTP/1.1 302 Found\nLocation: /"+strings.Repeat("x", 100<<10)+"\nContent-Length: 0\n\n")),
		nowhere("location-no-port", "redirects to an invalid port", "Location: http://127.0.0.1:99999/\n"),
		fault("location-closed", "redirects to a disallowed URL", fetched(302), Want{}, missing(302),
			raw(keep, "HTTP/1.1 302 Found\nLocation: "+closedPath+"elsewhere\nContent-Length: 0\n\n")),
		harmless("refresh", "redirects by a Refresh header", raw(keep, "{head}Refresh: 0; url="+closedPath+"page\nContent-Length: {len}\n\n{body}")),
	}
}
