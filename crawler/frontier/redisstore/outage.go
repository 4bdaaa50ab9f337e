package redisstore

import "sync"

// outages decides when to call OnOutage. It counts all calls together, since some servers of
// a Cluster may respond while others do not.
type outages struct {
	mu       sync.Mutex // guards all below, and is held while OnOutage runs
	reported bool       // OnOutage was called with an error and not with nil since
	calls    int        // calls that are being retried
}

// count adds a number to the calls that are being retried.
func (o *outages) count(by int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls += by
}

// report calls OnOutage if this is news: the first error of calls, or nil when none is retried any more.
func (s *server) report(err error) {
	o := &s.outages
	o.mu.Lock()
	defer o.mu.Unlock()
	if failed := err != nil; failed != o.reported && (failed || o.calls == 0) {
		o.reported = failed
		if s.opts.OnOutage != nil {
			s.opts.OnOutage(err)
		}
	}
}
