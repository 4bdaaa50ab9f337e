package faultsite

import (
	"fmt"
	"strings"
)

// headers returns header fields that are too many, too large or invalid.
func headers() []*Fault {
	const says = "valid HTTP"
	rest := "{head}Content-Length: {len}\n"
	cookies := func() string {
		var b strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&b, "Set-Cookie: c%d=%s; Path=/\n", i, strings.Repeat("x", 40))
		}
		return b.String()
	}()
	return []*Fault{
		noResponse("endless-headers", "sends header fields without end", "header", flood("{head}", strings.Repeat("X-More: and more\n", 1<<10))),
		noResponse("endless-header", "sends one header field without end", "header", flood("{head}X-Long: ", strings.Repeat("long", 4<<10))),
		noResponse("huge-header", "sends a header field of 1 MiB", "header", raw(shut, "{head}X-Huge: "+strings.Repeat("x", 1<<20)+"\n\n{body}")),
		noResponse("endless-folding", "folds a header field without end", "header", flood("{head}X-Folded: a\n", strings.Repeat(" b\n", 1<<10))),
		harmless("cookie-flood", "sets three thousand cookies", raw(keep, rest+cookies+"\n{body}")),
		harmless("folded-header", "folds a header field, as nobody does any more", raw(keep, rest+"X-Folded: a\n b\n\tc\n\n{body}")),
		harmless("odd-headers", "has header fields that make no sense", raw(keep, rest+"Date: yesterday\nAge: -1\nExpires: never\nLast-Modified: 99\nETag: \"\nVary: *\nCache-Control: max-age=99999999999999999999, ,=\nContent-Language: \nLink: <<>>;;rel\nX-Robots-Tag: ,,:unavailable_after:,\nContent-Usage: ;;=\nAlt-Svc: h3=\":443\"\n\n{body}")),
		harmless("high-bytes-in-header", "has bytes above ASCII in a header field", raw(keep, rest+"X-High: \xff\xfe\x80\xc3\xa9\n\n{body}")),
		harmless("bare-line-feeds", "ends its lines with LF alone", func(x *exchange) bool {
			x.sendLast(strings.ReplaceAll(x.fill("{head}Content-Length: {len}\r\n\r\n"), "\r\n", "\n") + string(x.good.body))
			return true
		}),
		alwaysRepeated(harmless("no-colon", "has a header field without a colon", raw(shut, rest+"this is no field\n\n{body}"))),
		harmless("space-in-name", "has a space in the name of a header field", raw(shut, rest+"X Space: x\n\n{body}")),
		alwaysRepeated(harmless("no-name", "has a header field without a name", raw(shut, rest+": x\n\n{body}"))),
		alwaysRepeated(noResponse("nul-in-header", "has a NUL in a header field", says, raw(shut, rest+"X-Nul: a\x00b\n\n{body}"))),
		alwaysRepeated(noResponse("binary-headers", "has binary header fields", says, raw(shut, "{head}\x01\x02\x03\xff: \x00\n\n{body}"))),
		harmless("retry-after-garbage", "says that one should come again, and not when", raw(keep, rest+"Retry-After: -5, soon\n\n{body}")),
		errorStatus("retry-after-word", "is not at its service, and does not say until when", 503,
			raw(keep, "HTTP/1.1 503 Service Unavailable\nRetry-After: 99999999999999999999 moons\nContent-Length: 0\n\n")),
		errorStatus("retry-after-second", "is not at its service for a second", 503, raw(keep, "HTTP/1.1 503 Service Unavailable\nRetry-After: 1\nContent-Length: 0\n\n")),
		errorStatus("too-many-requests", "has had enough, and does not say for how long", 429, raw(keep, "HTTP/1.1 429 Too Many Requests\nRetry-After: \nContent-Length: 0\n\n")),
		errorStatus("server-error", "fails, with what would be an answer for a body", 500, raw(keep, "HTTP/1.1 500 Internal Server Error\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")),
	}
}
