package errtext

import (
	"errors"
	"fmt"
	"testing"
)

func TestOf(t *testing.T) {
	full := errors.New("sqlite: disk is full")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{full, "disk is full"},
		{fmt.Errorf("crawler: crawler: write sqlite: %w", full), "write sqlite: disk is full"},
		{errors.Join(fmt.Errorf("output: %w", full), errors.New("robotsext: status 503")), "disk is full\nstatus 503"},
		{fmt.Errorf("robotsext: waiting for a turn: crawler: waiting for the turn of http://h: guard: refused"), "waiting for a turn: waiting for the turn of http://h: refused"},
		{errors.New(`crawler: "a: crawler: \": guard: b" is not a URL`), `"a: crawler: \": guard: b" is not a URL`},
		{errors.New("crawler: output: frontier: no"), "no"},
		{errors.New("crawler: bad configuration: output: no"), "bad configuration: output: no"},
		{errors.New("the crawler: it failed"), "the crawler: it failed"},
		{errors.New("net/http: nothing of ours: os: "), "nothing of ours: os: "},
		{errors.New("http2: failed reading the frame payload: http2: frame too large"), "failed reading the frame payload: frame too large"},
		{errors.New("the certificate is not to be trusted: x509: it has expired"), "the certificate is not to be trusted: it has expired"},
		{errors.New("robotsext: reading robots.txt: gzip: invalid checksum"), "reading robots.txt: invalid checksum"},
		{errors.New("crawler: flate: corrupt input before offset 9"), "corrupt input before offset 9"},
		{errors.New("gzip: x: gzip"), "x: gzip"},
		{errors.New("socks connect tcp 127.0.0.1:1080->a.example:80: unknown error host unreachable"), "the proxy: host unreachable"},
		{errors.New("robotsext: reading robots.txt: proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused"), "reading robots.txt: the proxy: dial tcp 127.0.0.1:1: connect: connection refused"},
		{errors.New(`"socks connect tcp a: "`), `"socks connect tcp a: "`},
		{errors.New(`report: "`), `"`},
		{errors.New(`output: "\`), `"\`},
		{errors.New(""), ""},
	} {
		if got := Of(tt.err); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.err, got, tt.want)
		}
	}
}
