package robotsext_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

// ROB-GEN-05: one value tells the verdict and what it comes from.
func TestDecide(t *testing.T) {
	rules := text("User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: otherbot\nDisallow: /")
	for _, test := range []struct {
		name    string
		robots  http.HandlerFunc
		path    string
		verdict robotsext.Verdict
		line    int // of the rule; 0: none
		group   string
		outcome robotsext.Outcome // of the record; 0: there is none
	}{
		{"ROB-GEN-02/no rule matches", rules, "/", robotsext.Allowed, 0, "*", robotsext.OutcomeRules},
		{"ROB-MAT-25/as sent", rules, "/a/../private", robotsext.Disallowed, 2, "*", robotsext.OutcomeRules},
		{"ROB-GEN-05/disallowed", rules, "/private", robotsext.Disallowed, 2, "*", robotsext.OutcomeRules},
		{"ROB-GEN-05/allowed by a rule", rules, "/private/open", robotsext.Allowed, 3, "*", robotsext.OutcomeRules},
		{"ROB-STA-01/no robots.txt", status(404), "/private", robotsext.Allowed, 0, "", robotsext.OutcomeAllowAll},
		{"ROB-STA-02/unreachable", status(500), "/", robotsext.Later, 0, "", robotsext.OutcomeUnreachable},
		{"ROB-MAT-21/robots.txt itself", rules, "/robots.txt", robotsext.Allowed, 0, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, test.robots)
			u := s.url(test.path)
			r := newRobots(t, nil)
			d, err := r.Decide(t.Context(), u)
			wantOK(t, err)
			line, outcome := 0, robotsext.Outcome(0)
			if d.Rule != nil {
				line = d.Rule.Line
			}
			if d.Record != nil {
				outcome = d.Record.Outcome
			}
			if d.Verdict != test.verdict || line != test.line || d.Group.Name() != test.group || outcome != test.outcome {
				t.Errorf("%s by line %d of the group %q, from %s", d.Verdict, line, d.Group.Name(), outcome)
			}
			if later := d.Verdict == robotsext.Later; later == d.RetryAt.IsZero() {
				t.Errorf("%s, and RetryAt is %v", d.Verdict, d.RetryAt)
			}
			blocked, _ := errors.AsType[*robotsext.BlockedError](r.Check(t.Context(), u))
			if (blocked == nil) != (d.Verdict == robotsext.Allowed) || blocked != nil &&
				(blocked.Reason != d.Verdict || blocked.Rule != d.Rule || blocked.Group != d.Group.Name() || !blocked.RetryAt.Equal(d.RetryAt)) {
				t.Errorf("Check returns %+v, Decide %+v", blocked, d)
			}
		})
	}
	t.Run("ROB-GEN-03/made for a person", func(t *testing.T) {
		s := newSite(t, rules)
		d, err := newRobots(t, nil).Decide(robotsext.WithUserFetch(t.Context()), s.url("/private"))
		if err != nil || d.Verdict != robotsext.Allowed || d.Record != nil || d.Group == nil {
			t.Errorf("got %+v, %v", d, err)
		}
		s.wantAsked(t)
	})
	t.Run("ROB-LOC-12/no origin", func(t *testing.T) {
		d, err := newRobots(t, nil).Decide(t.Context(), mustParse(t, "gopher://h/"))
		if !errors.Is(err, robotsext.ErrUnsupportedScheme) || d != (robotsext.Decision{}) {
			t.Errorf("got %+v, %v", d, err)
		}
	})
}
