package frontier

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSmoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(nil)
		defer m.Close()
		added, err := m.Add(t.Context(), []Item{{URL: "http://a/1"}, {URL: "http://a/2"}, {URL: "http://a/1"}})
		t.Log(added, err)
		for range 2 {
			start := time.Now()
			l, err := m.Lease(t.Context(), LeaseRequest{Max: 5, Wait: -1})
			t.Log(time.Since(start), l, err)
			errs, err := m.Finish(t.Context(), []Outcome{{Lease: l[0].ID, Result: Done, HostDelay: time.Second}})
			t.Log(errs, err)
		}
		s, err := m.Stats(t.Context())
		t.Log(s, err, s.Finished())
	})
}
