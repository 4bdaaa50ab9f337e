package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A process that is killed between writing a page and updating the frontier leaves a line that does
// not count. The next process truncates it, and knows everything committed: pages by their bodies,
// skipped URLs, deferred origins, hosts and traps.
func TestResumeCutsOffWhatWasNotCommitted(t *testing.T) {
	f := frontier.NewMemory(nil)
	item := frontier.Item{URL: "http://a.test/1", Meta: provenance.Provenance{Source: provenance.Start}.Encode()}
	if _, err := f.Add(t.Context(), []frontier.Item{item}); err != nil {
		t.Fatal(err)
	}
	leases, err := f.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1})
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	check := func(err error) {
		t.Helper()
		must(t, err)
	}
	r := openWriter(t, f)
	check(r.Commit(frontier.Outcome{Lease: leases[0].ID, Result: frontier.Done}, &output.Page{URL: item.URL, Hash: "ab"}, Batch{}))
	_, err = r.Skipped.Add([]SkippedURL{{Rejection: output.Rejection{URL: "http://b.test/", Reason: output.OutOfScope}}})
	check(err)
	check(r.Deferred.Add("http://c.test", output.Rejection{Reason: output.RobotsUnreachable, Detail: "status 503"}, item.NotBefore))
	check(r.AddJoined("http://d.test/"))
	check(r.AddTrap(&trap.ClosedPattern{Host: "e.test"}))
	var batch Batch
	check(Pages.Add(&batch, &output.Page{URL: "http://a.test/2"}))
	check(r.write(&batch))
	check(r.Close())

	var restored []string
	cfg := r.cfg
	r = New(cfg)
	check(r.Load())
	check(r.Open())
	defer func() { _ = r.Close() }()
	check(r.Restore(
		func(url string) error { restored = append(restored, url); return nil },
		func(p *trap.ClosedPattern) { restored = append(restored, string(p.Host)) },
	))
	check(r.RestoreLines(func(lines *output.Results) {
		for _, p := range lines.Pages {
			restored = append(restored, p.URL)
		}
	}))
	if n := r.Skipped.Counts()[output.OutOfScope]; n != 1 {
		t.Errorf("%d URLs out of scope", n)
	}
	want := []string{"http://d.test/", "e.test", "http://a.test/1"}
	if diff := cmp.Diff(want, restored); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if d := r.Deferred.Get("http://c.test"); d == nil || d.Rejection.Detail != "status 503" {
		t.Errorf("deferred: %+v", d)
	}
	check(r.Commit(frontier.Outcome{Lease: leases[0].ID, Result: frontier.Done}, &output.Page{URL: "http://a.test/3", Hash: "ab"}, Batch{}))
	var duplicates []string
	for p, err := range output.Read[output.Page](cfg.Dir) {
		check(err)
		duplicates = append(duplicates, p.URL+" "+p.DuplicateOf)
	}
	if diff := cmp.Diff([]string{"http://a.test/1 ", "http://a.test/3 http://a.test/1"}, duplicates); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}
