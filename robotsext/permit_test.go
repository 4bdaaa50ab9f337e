package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

const (
	tdmrepLine = "GET " + usage.TDMRepPath
	reserved   = `[{"location": "/free", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]`
)

// newTDMSite is newSite with a tdmrep.json.
func newTDMSite(t *testing.T, robots string, tdmrep http.HandlerFunc) *site {
	t.Helper()
	s := newSite(t, text(robots))
	s.serve(usage.TDMRepPath, tdmrep)
	return s
}

// wantUsage checks that an error says which statement disallows the purpose.
func wantUsage(t *testing.T, err error, purpose usage.Purpose, source string) {
	t.Helper()
	blocked, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case !errors.Is(err, colly.ErrRobotsTxtBlocked):
		t.Errorf("error %v is not colly.ErrRobotsTxtBlocked", err)
	case !ok || blocked.Reason != robotsext.Usage || blocked.Purpose != purpose || blocked.Statement == nil || blocked.Statement.Source.String() != source:
		t.Errorf("error %v, want %s disallowed by %s", err, purpose, source)
	}
}

// siteUsage returns the sources of the statements about a path.
func siteUsage(t *testing.T, r *robotsext.Robots, s *site, path string, purposes ...usage.Purpose) (said robotsext.SiteUsage, sources string) {
	t.Helper()
	said, err := r.SiteUsage(t.Context(), s.url(path), purposes...)
	wantOK(t, err)
	var list []string
	for _, statement := range said.Statements {
		list = append(list, statement.Source.String())
	}
	return said, strings.Join(list, "; ")
}

func TestPermit(t *testing.T) {
	s := newTDMSite(t, "User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n\nContent-Usage: /press train-ai=y\nContent-Signal: search=yes\n", text(reserved))
	r := newRobots(t, nil)
	for name, test := range map[string]struct {
		path     string
		purposes []usage.Purpose
		source   string // of what disallows the last purpose; empty: nothing does
	}{
		"no purpose":                 {"/", nil, ""},
		"allowed":                    {"/", []usage.Purpose{usage.Search}, ""},
		"nothing is said":            {"/", []usage.Purpose{usage.Archive, usage.AIInput}, ""},
		"disallowed by robots.txt":   {"/", []usage.Purpose{usage.Search, usage.TrainAI}, "robots.txt line 3, Content-Usage"},
		"allowed by a longer path":   {"/press", []usage.Purpose{usage.TrainAI}, ""},
		"disallowed by tdmrep.json":  {"/press", []usage.Purpose{usage.TDM}, "file /.well-known/tdmrep.json, rule 2"},
		"allowed by tdmrep.json":     {"/free", []usage.Purpose{usage.TDM}, ""},
		"tdmrep.json about training": {"/press", []usage.Purpose{usage.TDM, usage.TrainAI}, "file /.well-known/tdmrep.json, rule 2"},
	} {
		t.Run(name, func(t *testing.T) {
			err := r.Permit(t.Context(), s.url(test.path), test.purposes...)
			if test.source == "" {
				wantOK(t, err)
				return
			}
			blocked, _ := errors.AsType[*robotsext.BlockedError](err)
			if blocked == nil {
				t.Fatal("no error")
			}
			wantUsage(t, err, blocked.Purpose, test.source)
		})
	}
	wantDisallowed(t, r.Permit(t.Context(), s.url("/private"), usage.Archive), 2)
	if err := r.Permit(t.Context(), s.url("/"), "ai-train"); err == nil || !strings.Contains(err.Error(), `unknown purpose "ai-train"`) {
		t.Errorf("error %v", err)
	}
	if err := r.Permit(t.Context(), mustParse(t, "gopher://h/"), usage.TDM); !errors.Is(err, robotsext.ErrUnsupportedScheme) {
		t.Errorf("error %v", err)
	}
	t.Run("robots.txt is unreachable", func(t *testing.T) {
		down := newSite(t, status(500))
		wantLater(t, r.Permit(t.Context(), down.url("/"), usage.TDM))
		down.wantCount(t, tdmrepLine, 0)
	})
	t.Run("text of the error", func(t *testing.T) {
		u := s.url("/a")
		err := r.Permit(t.Context(), u, usage.TrainAI)
		want := fmt.Sprintf(`%s is disallowed for train-ai by "train-ai=n", robots.txt line 3, Content-Usage of %s`, u, s.URL)
		blocked, _ := errors.AsType[*robotsext.BlockedError](err)
		if err == nil || err.Error() != want || string(blocked.Origin) != s.URL || blocked.RobotsURL != s.URL+"/robots.txt" || blocked.URL != u.String() {
			t.Errorf("message %v\nwant    %s\n%+v", err, want, blocked)
		}
	})
	s.wantPages(t, tdmrepLine) // no page
}

// tdmrep.json is requested only for the purpose tdm, and then once for all URLs and goroutines.
func TestSiteUsageRequestsTDMRepOnce(t *testing.T) {
	s := newTDMSite(t, private, text(reserved))
	r := newRobots(t, nil)
	if said, sources := siteUsage(t, r, s, "/", usage.Search, usage.AIInput, usage.TrainAI, usage.Archive); sources != "" || said.RobotsHash != usage.Hash([]byte(private)) || said.TDMRepHash != "" {
		t.Errorf("%+v", said)
	}
	s.wantAsked(t, robotsLine)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			said, err := r.SiteUsage(t.Context(), s.url(fmt.Sprintf("/%d", i)), usage.TDM)
			if err != nil || len(said.Statements) != 1 || said.TDMRepHash != usage.Hash([]byte(reserved)) || said.Statements[0].Source.Hash != said.TDMRepHash {
				t.Errorf("%+v, %v", said, err)
			}
		})
	}
	wg.Wait()
	s.wantAsked(t, robotsLine, tdmrepLine)
}

// robots.txt decides about tdmrep.json as about a page, and a disallowed URL has no statements.
func TestTDMRepObeysRobots(t *testing.T) {
	const rule1 = "file /.well-known/tdmrep.json, rule 1"
	for name, test := range map[string]struct {
		path, robots string
		target       http.HandlerFunc // the robots.txt of the target of a redirect; nil: there is none
		sources      string
		asked        []string // of the target, or of the site
		problem      string
	}{
		"disallowed URL":                        {"/private", private + "Content-Signal: search=yes\n", nil, "", []string{robotsLine}, ""},
		"disallowed tdmrep.json":                {"/", "User-agent: *\nDisallow: /.well-known/\n", nil, "", []string{robotsLine}, "disallowed by robots.txt"},
		"redirect to another origin":            {"/", private, text(private), rule1, []string{robotsLine, "GET /policy.json"}, ""},
		"redirect to a disallowed URL":          {"/", private, text("User-agent: *\nDisallow: /policy.json\n"), "", []string{robotsLine}, "disallowed by robots.txt"},
		"redirect to an unreachable robots.txt": {"/", private, status(500), "", []string{robotsLine}, "unreachable: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTDMSite(t, test.robots, text(reserved))
			judge := s
			if test.target != nil {
				judge = newSite(t, test.target)
				judge.serve("/policy.json", text(`[{"location": "/", "tdm-reservation": 1}]`))
				s.serve(usage.TDMRepPath, http.RedirectHandler(judge.URL+"/policy.json", http.StatusFound).ServeHTTP)
			}
			r := newRobots(t, nil)
			for range 2 {
				said, sources := siteUsage(t, r, s, test.path, usage.TDM)
				if sources != test.sources || !strings.HasPrefix(said.TDMRepProblem, test.problem) || (test.problem == "") != (said.TDMRepProblem == "") ||
					(said.TDMRepHash == "") != (sources == "") || (said.RobotsHash == "") != (test.path == "/private") {
					t.Errorf("%+v", said)
				}
			}
			judge.wantAsked(t, test.asked...)
			s.wantCount(t, tdmrepLine, len(s.asked())-1)
		})
	}
}

// A tdmrep.json that is missing, unreachable, invalid or too large states nothing. None of these
// errors refuses a URL.
func TestTDMRepResponses(t *testing.T) {
	rules := func(n int) string {
		return "[" + strings.Repeat(`{"location": "/x", "tdm-reservation": 1},`, n-1) + `{"location": "/", "tdm-reservation": 1}]`
	}
	for name, test := range map[string]struct {
		serve   http.HandlerFunc
		states  bool
		outcome robotsext.Outcome
		problem string
	}{
		"rules":          {text(reserved), true, robotsext.OutcomeRules, ""},
		"404":            {status(404), false, robotsext.OutcomeAllowAll, ""},
		"403":            {status(403), false, robotsext.OutcomeAllowAll, ""},
		"500":            {status(500), false, robotsext.OutcomeUnreachable, "unreachable: status 500"},
		"429":            {status(429), false, robotsext.OutcomeUnreachable, "unreachable: status 429"},
		"no JSON":        {text("<html>"), false, robotsext.OutcomeRules, "invalid: not a JSON array"},
		"no list":        {text(`{"location": "/", "tdm-reservation": 1}`), false, robotsext.OutcomeRules, "invalid: not a JSON array"},
		"empty":          {text(""), false, robotsext.OutcomeRules, "invalid: not a JSON array"},
		"most rules":     {text(rules(usage.MaxTDMRepRules)), true, robotsext.OutcomeRules, ""},
		"too many rules": {text(rules(usage.MaxTDMRepRules + 1)), false, robotsext.OutcomeRules, "invalid: more than 1000 rules"},
		"largest":        {text(reserved + strings.Repeat(" ", usage.MaxTDMRepBytes-len(reserved))), true, robotsext.OutcomeRules, ""},
		"too large":      {text(reserved + "\n" + strings.Repeat(" ", usage.MaxTDMRepBytes)), false, robotsext.OutcomeRules, "larger than 262144 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTDMSite(t, private, test.serve)
			var records []*robotsext.Record
			r := newRobots(t, &robotsext.Options{OnTDMRep: func(rec *robotsext.Record) { records = append(records, rec) }})
			for range 2 {
				if err := r.Permit(t.Context(), s.url("/"), usage.TDM); (err != nil) != test.states {
					t.Errorf("error %v", err)
				}
			}
			if len(records) != 1 || records[0].Outcome != test.outcome || string(records[0].Origin) != s.URL || records[0].File != nil {
				t.Fatalf("records %+v", records)
			}
			said, _ := siteUsage(t, r, s, "/", usage.TDM)
			if got := records[0].TDMRepProblem(); got != test.problem || said.TDMRepProblem != test.problem {
				t.Errorf("problem of the record %q, of the page %q, want %q", got, said.TDMRepProblem, test.problem)
			}
			s.wantCount(t, tdmrepLine, 1)
		})
	}
}

// tdmrep.json is requested again when it has expired, after a failure when its retry is due. A
// reservation holds during an outage.
func TestTDMRepExpires(t *testing.T) {
	s := newTDMSite(t, private, nil)
	serve := func(h http.HandlerFunc) { s.serve(usage.TDMRepPath, h) }
	clock := newClock()
	r := newRobots(t, &robotsext.Options{Now: clock.now})
	want := func(sources string, requests int) {
		t.Helper()
		if _, got := siteUsage(t, r, s, "/", usage.TDM); got != sources {
			t.Errorf("statements %q, want %q", got, sources)
		}
		s.wantCount(t, tdmrepLine, requests)
	}
	const first = "file /.well-known/tdmrep.json, rule 1"
	serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		fmt.Fprint(w, `[{"location": "/", "tdm-reservation": 1}]`)
	})
	want(first, 1)
	clock.advance(59 * time.Minute)
	want(first, 1)
	serve(status(503))
	clock.advance(2 * time.Minute)
	want(first, 2) // the last good copy
	if said, _ := siteUsage(t, r, s, "/", usage.TDM); said.TDMRepProblem != "" {
		t.Errorf("problem %q, although the copy applies", said.TDMRepProblem)
	}
	clock.advance(30 * time.Second)
	want(first, 2)
	serve(status(404))
	clock.advance(time.Hour)
	want("", 3)
	serve(text(reserved))
	clock.advance(25 * time.Hour)
	want("file /.well-known/tdmrep.json, rule 2", 4)
}

// The limit on memory counts the parsed rules of a tdmrep.json, which take several times the memory of
// its body, and those of the copy that holds during an outage. The oldest record is evicted.
func TestTDMRepEviction(t *testing.T) {
	body := "[" + strings.Repeat(`{"location": "/x", "tdm-reservation": 1},`, usage.MaxTDMRepRules-1) + `{"location": "/", "tdm-reservation": 1}]`
	answers := map[string][]reply{usage.TDMRepPath: ok(body), "http://b.example" + usage.TDMRepPath: ok(body)}
	for _, outage := range []bool{false, true} {
		onWeb(t, fmt.Sprintf("outage %v", outage), answers, func(t *testing.T, w *web) {
			r := w.robots(robotsext.Options{Cache: robotsext.CacheOptions{MaxBytes: 1 << 20}})
			ask := func(origin string) int {
				_, err := r.SiteUsage(t.Context(), mustParse(t, origin+"/"), usage.TDM)
				wantOK(t, err)
				return w.count(usage.TDMRepPath)
			}
			before := ask(siteA)
			if outage {
				time.Sleep(25 * time.Hour)
				w.answers[usage.TDMRepPath] = []reply{{status: 503}}
				before = ask(siteA)
				w.answers[usage.TDMRepPath] = ok(body)
			}
			ask("http://b.example")
			if ask(siteA) == before {
				t.Error("the record was not evicted")
			}
		})
	}
}

// The context of the caller ends its wait for tdmrep.json.
func TestSiteUsageCanceled(t *testing.T) {
	onWeb(t, "timeout", map[string][]reply{usage.TDMRepPath: {{hang: true}}}, func(t *testing.T, w *web) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := w.robots(robotsext.Options{}).SiteUsage(ctx, rootA, usage.TDM); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		w.wantSent("0 /robots.txt", "0 "+usage.TDMRepPath)
		time.Sleep(time.Minute) // tdmrep.json is fetched for others too
	})
}
