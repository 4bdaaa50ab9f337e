package credentials

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// The limits of the cookies that an origin sets. The first two are those of RFC 6265, section
// 6.1; many servers reject longer fields than the third.
const (
	maxCookies     = 50      // of an origin
	maxCookie      = 4 << 10 // bytes of name, value and attributes
	maxCookieField = 8 << 10 // bytes of the field Cookie
)

// cookies are the cookies of one origin. An origin does not get those that another has set.
type cookies struct {
	jar http.CookieJar

	mu    sync.Mutex // guards known
	known map[string]bool
}

func newCookies() *cookies {
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // it never fails
	return &cookies{jar: jar, known: make(map[string]bool)}
}

// keep keeps cookies of a response, within the limits.
func (c *cookies) keep(u *url.URL, set []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range set {
		key := one.Name + ";" + one.Domain + ";" + one.Path
		if len(one.Raw) > maxCookie || !c.known[key] && len(c.known) >= maxCookies {
			continue
		}
		c.known[key] = true
		c.jar.SetCookies(u, []*http.Cookie{one})
	}
}

// field returns the field Cookie of a request. Unlike [http.Request.AddCookie] it changes no
// value.
func (c *cookies) field(u *url.URL) string {
	var b strings.Builder
	for _, one := range c.jar.Cookies(u) {
		pair := one.Name + "=" + one.Value
		if one.Quoted {
			pair = one.Name + `="` + one.Value + `"`
		}
		if b.Len()+len("; ")+len(pair) > maxCookieField {
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(pair)
	}
	return b.String()
}
