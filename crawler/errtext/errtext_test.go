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
		{errors.New("net/http: nothing of ours: net: "), "net/http: nothing of ours: net: "},
		{errors.New(`report: "`), `"`},
		{errors.New(`output: "\`), `"\`},
		{errors.New(""), ""},
	} {
		if got := Of(tt.err); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.err, got, tt.want)
		}
	}
}
