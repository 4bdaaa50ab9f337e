package redisstore

import "sync"

// outages decides when to call OnOutage. It counts all calls together, since some servers of
// a Cluster may respond while others do not.
type outages struct {
	mu       sync.Mutex // guards all below, and is held while OnOutage runs
	reported bool       // OnOutage was called with an error and not with nil since
	calls    int        // calls that are being retried
}

// An outage says whether a call is being retried.
type outage bool

// failed records that a call has to be retried.
func (s *Store) failed(o *outage, err error) {
	all := &s.outages
	all.mu.Lock()
	defer all.mu.Unlock()
	if !*o {
		*o = true
		all.calls++
	}
	if !all.reported {
		all.reported = true
		if s.opts.OnOutage != nil {
			s.opts.OnOutage(err)
		}
	}
}

// succeeded records that Redis has responded to a call.
func (s *Store) succeeded(o *outage) {
	s.stopRetry(o)
	all := &s.outages
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.reported && all.calls == 0 {
		all.reported = false
		if s.opts.OnOutage != nil {
			s.opts.OnOutage(nil)
		}
	}
}

// stopRetry records that a call is not retried any more.
func (s *Store) stopRetry(o *outage) {
	s.outages.mu.Lock()
	defer s.outages.mu.Unlock()
	if *o {
		*o = false
		s.outages.calls--
	}
}
