package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

const (
	sentinelRefresh = 5 * time.Second
	// leaving is how long Close waits for Redis.
	leaving = 5 * time.Second
)

// A Store is a frontier in Redis, shared with all workers that have the same
// crawl open. The package comment says how.
type Store struct {
	opts     Options
	address  address
	client   rueidis.Client
	cluster  bool
	layout   layout
	scripts  scripts
	instance string // of this opening of the crawl
	made     bool   // by this opening
	home     int    // the shard that the worker's note is in

	alive context.Context // ends with Close
	stop  context.CancelFunc
	work  sync.WaitGroup // lanes, and who listens

	mu      sync.Mutex // guards what follows
	closed  bool
	cache   *seen.Cache // nil: none
	queue   []*job      // to be sent
	waiters []*waiter   // Leases without an answer
	lanes   []bool      // those that work
	view    view
	timer   *time.Timer // runs kick when something may be leased
	holding map[string]map[chan struct{}]bool
	orphans []string // nonces of calls whose answer never came and that may have leased

	notes sync.Mutex // held by a Finish with a note in a Cluster: intents are one at a time

	changing chan struct{} // holds something while a Tell or Take is on its way: they are one at a time

	troubles troubles
}

var _ frontier.Frontier = (*Store)(nil)

// Open opens a crawl on the Redis or Valkey server at an address, or makes it.
// Several addresses of a Cluster may be given, and those of Sentinels with the
// name of their master:
//
//	redis[s]://[user[:password]@]host[:port][,host[:port]…][/db][?master=NAME]
//
// A server that answers as one of a Cluster is used so.
func Open(ctx context.Context, addr string, opts *Options) (*Store, error) {
	s, err := connect(ctx, addr, opts)
	if err != nil {
		return nil, err
	}
	s.alive, s.stop = context.WithCancel(context.Background())
	s.cache = s.newCache()
	if err := s.open(ctx); err != nil {
		s.stop()
		s.client.Close()
		return nil, err
	}
	if s.opts.Observe {
		return s, nil
	}
	listening := make(chan struct{})
	s.work.Go(func() { s.listen(listening) })
	select {
	case <-listening:
	case <-time.After(time.Second): // without it others are heard of a little later
	}
	return s, nil
}

// connect returns a store that has its client and nothing else.
func connect(ctx context.Context, addr string, opts *Options) (*Store, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	a, err := parseAddress(addr)
	if err != nil {
		return nil, err
	}
	if err := a.credentials(&o); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(a.client(&o))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", classify(err), a)
	}
	s := &Store{
		opts: o, address: a, client: client, cluster: client.Mode() == rueidis.ClientModeCluster,
		instance: newNonce(),
		lanes:    make([]bool, serverLanes),
		holding:  make(map[string]map[chan struct{}]bool),
		changing: make(chan struct{}, 1),
	}
	if s.cluster {
		s.lanes = make([]bool, clusterLanes)
	}
	return s, nil
}

// String says which crawl is open and where, without the password.
func (s *Store) String() string { return s.address.String() + " " + s.opts.Crawl }

// Worker returns the name of this process in the crawl.
func (s *Store) Worker() string { return s.opts.Worker }

// Made reports whether the crawl was made by this Open.
func (s *Store) Made() bool { return s.made }

// Settings returns the Options.Settings that the crawl was made with.
func (s *Store) Settings() []byte { return []byte(s.layout.settings) }

func (s *Store) open(ctx context.Context) error {
	if err := s.find(ctx); err != nil {
		return err
	}
	s.scripts = newScripts(&s.layout)
	s.home = s.layout.shardOf(s.opts.Worker)
	s.view = newView(s.layout.shards)
	if s.opts.Observe {
		return nil
	}
	others, err := s.join(ctx, "in")
	if err != nil {
		return err
	}
	cmd := s.client.B().Hset().Key(s.layout.in(s.home, "workers")).FieldValue().FieldValue(s.opts.Worker, s.instance).Build()
	if err := s.client.Do(ctx, cmd).Error(); err != nil {
		return classify(err)
	}
	if err := s.boot(ctx, false, !s.layout.whole); err != nil {
		return err
	}
	if err := s.client.Do(ctx, s.client.B().Hset().Key(s.layout.key("meta")).FieldValue().FieldValue("whole", "1").Build()).Error(); err != nil {
		return classify(err)
	}
	if err := s.resume(ctx); err != nil {
		return err
	}
	if err := s.reclaim(ctx, ""); err != nil || others > 0 {
		return err
	}
	return s.boot(ctx, true, false)
}

// find reads the crawl's record, and writes it when there is none.
func (s *Store) find(ctx context.Context) error {
	l := newLayout(&s.opts)
	key := l.key("meta")
	var fields map[string]string
	var err error
	if s.opts.Join || s.opts.Observe {
		fields, err = s.client.Do(ctx, s.client.B().Hgetall().Key(key).Build()).AsStrMap()
	} else {
		var r reply
		r, err = s.client.Do(ctx, s.client.B().Eval().Script(createText).Numkeys(1).Key(key).Arg(l.fields()...).Build()).ToArray()
		if err == nil {
			s.made = r.int(0) == 1
			fields, err = r[1].AsStrMap()
		}
	}
	if err != nil {
		return classify(err)
	}
	if len(fields) == 0 {
		return fmt.Errorf("%w: %v", ErrNone, s)
	}
	s.layout, err = readLayout(l.namespace, fields)
	return err
}

// join brings this worker among those that have the crawl open, or out of them,
// and returns how many others are there.
func (s *Store) join(ctx context.Context, way string) (others int64, err error) {
	// Neither Open nor Close waits for a server that is away.
	r, err := s.invoke(ctx, s.scripts.join, s.whole("", way, micros(silence)), true)
	if err != nil {
		return 0, classify(err)
	}
	return r.int(1), nil
}

// reclaim gives back leases of this worker: all, or those of a call whose answer
// never came.
func (s *Store) reclaim(ctx context.Context, nonce string) error {
	return s.each(ctx, s.scripts.reclaim, []string{s.opts.Worker, nonce}, func(r reply) { s.learn(r, 2) })
}

// resume brings to an end what the last process of this name had begun.
func (s *Store) resume(ctx context.Context) error {
	key := s.layout.in(s.home, "intents")
	text, err := s.client.Do(ctx, s.client.B().Hget().Key(key).Field(s.opts.Worker).Build()).ToString()
	if rueidis.IsRedisNil(err) {
		return nil
	}
	if err != nil {
		return classify(err)
	}
	calls, err := decodeCalls(text)
	if err != nil {
		return err
	}
	for _, c := range calls {
		c.args[againArg] = "1"
		if _, err := s.run(ctx, s.scripts.turn, fixed(c)); err != nil {
			return err
		}
	}
	return classify(s.client.Do(ctx, s.client.B().Hdel().Key(key).Field(s.opts.Worker).Build()).Error())
}

// enter returns the error of a context that has ended, or of a store that is closed.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.ended(s.alive)
}

// enterWorker is enter for what only workers may do.
func (s *Store) enterWorker(ctx context.Context) error {
	if s.opts.Observe {
		return ErrObserver
	}
	return s.enter(ctx)
}

// ended returns the reason for which a context has ended, or nil.
func (s *Store) ended(ctx context.Context) error {
	if s.alive.Err() != nil {
		return frontier.ErrClosed
	}
	return ctx.Err()
}

// within returns a context that ends with ctx and with Close.
func (s *Store) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	undo := context.AfterFunc(s.alive, cancel)
	return ctx, func() { undo(); cancel() }
}

// Close implements frontier.Frontier. The leases of this process are given back,
// and nobody else's.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.stop()
	if s.timer != nil {
		s.timer.Stop()
	}
	for _, w := range s.waiters {
		w.end(frontier.ErrClosed)
	}
	for _, j := range s.queue {
		j.end(frontier.ErrClosed)
	}
	s.waiters, s.queue = nil, nil
	s.mu.Unlock()
	s.work.Wait()
	if s.opts.Observe {
		s.client.Close()
		return nil
	}

	// What fails here comes back when it expires.
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	err := s.leave(ctx)
	s.client.Close()
	if err != nil {
		s.opts.Logger.Warn("leases are not given back before they expire", "err", err)
	}
	return nil
}

func (s *Store) leave(ctx context.Context) error {
	owner, err := s.client.Do(ctx, s.client.B().Hget().Key(s.layout.in(s.home, "workers")).Field(s.opts.Worker).Build()).ToString()
	if err != nil {
		return classify(err)
	}
	if owner != s.instance {
		return ErrTaken
	}
	// The context of calls has ended, so these go without run.
	var cmds []rueidis.Completed
	for k := range s.layout.shards {
		cmds = append(cmds, s.command(s.scripts.reclaim, s.call(k, s.opts.Worker, "", strconv.Itoa(k)), false))
	}
	for k, answer := range s.client.DoMulti(ctx, cmds...) {
		if reply, ok := rueidis.IsRedisErr(answer.Error()); ok && reply.IsNoScript() {
			_, err = s.invoke(ctx, s.scripts.reclaim, s.call(k, s.opts.Worker, "", strconv.Itoa(k)), true)
		} else {
			err = errors.Join(err, classify(answer.Error()))
		}
	}
	_, err2 := s.join(ctx, "out")
	return errors.Join(err, err2)
}
