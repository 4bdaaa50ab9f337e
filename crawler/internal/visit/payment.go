package visit

import (
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

// skipUnpaid skips a page if its site requires payment or a license. The detail is the price or the
// error code that the site has sent: in the fields of Cloudflare's pay per crawl, or in the
// challenge of the Open License Protocol (RSL).
func skipUnpaid(resp *fetch.Response) outcome {
	code, licensed := licenseChallenge(resp.Header.Values("WWW-Authenticate"))
	switch {
	case resp.Status == http.StatusPaymentRequired:
		details := []string{resp.Header.Get("Crawler-Price"), resp.Header.Get("Crawler-Error"), code}
		details = slices.DeleteFunc(details, func(text string) bool { return text == "" })
		return skipWith(output.PaymentRequired, strings.Join(details, ", "))
	case resp.Status == http.StatusUnauthorized && licensed:
		return skipWith(output.LicenseRequired, code)
	}
	return outcome{}
}

// licenseChallenge finds the first challenge of the scheme License in the fields WWW-Authenticate
// (RFC 9110 section 11.6.1), and its error code.
func licenseChallenge(fields []string) (code string, found bool) {
	for _, field := range fields {
		inside := false // the challenge
		for element := range headerlist.Elements(field) {
			if element == "" {
				continue
			}
			name, rest := cutToken(element)
			if !strings.HasPrefix(rest, "=") { // of a parameter
				if found {
					return code, true
				}
				inside = strings.EqualFold(name, "License")
				found = inside
				name, rest = cutToken(rest)
			}
			if value, ok := strings.CutPrefix(rest, "="); ok && inside && code == "" && strings.EqualFold(name, "error") {
				if code = strings.TrimLeft(value, " \t"); strings.HasPrefix(code, `"`) {
					code, _ = headerlist.CutQuoted(code)
				}
			}
		}
		if found {
			return code, true
		}
	}
	return "", false
}

// cutToken cuts a list element behind its first token and the space after it.
func cutToken(element string) (token, rest string) {
	end := strings.IndexAny(element, " \t=")
	if end < 0 {
		return element, ""
	}
	return element[:end], strings.TrimLeft(element[end:], " \t")
}
