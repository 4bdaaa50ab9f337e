package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/redis/rueidis"
)

// Open opens a crawl on a Redis or Valkey server, and creates it if it is missing. The address is
//
//	redis[s]://[user[:password]@]host[:port][,host[:port]…][/db][?master=NAME][&ca=FILE][&cert=FILE&key=FILE]
//
// It may list several servers of a Cluster, which Open detects. With master the servers are
// Sentinels, and NAME is the name of their master. The default port is 6379.
//
// rediss uses TLS. ca is a PEM file with the certificate authorities of the servers (default: those
// of the system). cert and key are PEM files with a client certificate and its key.
func Open(ctx context.Context, addr string, opts *Options) (*Store, error) {
	conn, err := connect(ctx, addr, opts)
	if err != nil {
		return nil, err
	}
	conn.alive, conn.stop = context.WithCancel(context.Background())
	c := &crawl{server: conn, instance: newNonce(), memory: memory{size: conn.opts.cacheBytes}, changing: make(chan struct{}, 1)}
	s := &Store{&schedule{crawl: c, holding: make(map[string]map[chan struct{}]bool)}}
	if err := s.open(ctx); err != nil {
		s.stop()
		s.work.Wait()
		s.client.Close()
		return nil, err
	}
	return s, nil
}

// connect connects to a server.
func connect(ctx context.Context, addr string, opts *Options) (*server, error) {
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
	settings, err := a.client(&o)
	if err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(settings)
	if a.secure && err == context.DeadlineExceeded { //nolint:errorlint // a failed connection has a wrapped error
		err = fmt.Errorf("%w: no response to the handshake; does the server use TLS?", ErrTLS)
	} else if err != nil {
		err = classify(err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", err, a)
	}
	s := &server{opts: o, address: a, client: client}
	shards := serverShards
	if client.Mode() == rueidis.ClientModeCluster {
		shards = clusterShards
	}
	s.opts.Shards = cmp.Or(s.opts.Shards, shards)
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	if err := s.checkPermissions(ctx); err != nil {
		return err
	}
	if err := s.checkEviction(ctx); err != nil {
		return err
	}
	if err := s.loadLayout(ctx); err != nil {
		return err
	}
	s.scripts = newScripts(&s.layout)
	s.home = s.layout.shardOf(s.opts.WorkerName)
	s.view = newView(s.layout.shards)
	if s.opts.Observe {
		return nil
	}
	s.checkReplicas(ctx)
	others, err := s.join(ctx, "in")
	if err != nil {
		return err
	}
	if err := s.start(ctx, others == 0); err != nil {
		_, _ = s.join(ctx, "out")
		return err
	}
	return nil
}

// start prepares a worker. alone says that no other worker is running.
func (s *schedule) start(ctx context.Context, alone bool) error {
	cmd := s.client.B().Hset().Key(s.layout.in(s.home, "workers")).FieldValue().FieldValue(s.opts.WorkerName, s.instance).Build()
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
	if err := s.reclaim(ctx, ""); err != nil {
		return err
	}
	listening := make(chan struct{})
	s.work.Go(func() { s.listen(listening) })
	select {
	case <-listening:
	case <-time.After(time.Second): // without messages the worker polls
	}
	if !alone {
		return nil
	}
	return s.boot(ctx, true, false) // last, since delays start now
}

// loadLayout reads the record of the crawl, or creates it.
func (s *crawl) loadLayout(ctx context.Context) error {
	l := newLayout(&s.opts)
	key := l.key("meta")
	var cmd rueidis.Completed
	if s.opts.MustExist || s.opts.Observe {
		cmd = s.client.B().Hgetall().Key(key).Build()
	} else {
		cmd = s.client.B().Eval().Script(scriptText("create")).Numkeys(1).Key(key).Arg(l.fields()...).Build()
	}
	fields, err := s.client.Do(ctx, cmd).AsStrMap()
	if err != nil {
		return classify(err)
	}
	if len(fields) == 0 {
		return fmt.Errorf("%w: %v", ErrNotFound, s)
	}
	s.layout, err = readLayout(l.namespace, fields)
	return err
}

// join registers this worker (in) or unregisters it (out), and returns the number of other running
// workers.
func (s *crawl) join(ctx context.Context, way string) (others int64, err error) {
	// Open and Close do not retry.
	r, err := s.invoke(ctx, s.crawlCall("join", "", way, micros(workerTimeout)), true)
	if err != nil {
		return 0, classify(err)
	}
	return r.int(1), nil
}

// reclaim releases leases of this worker: all, or those of a call whose reply was lost.
func (s *schedule) reclaim(ctx context.Context, nonce string) error {
	return s.each(ctx, "reclaim", []string{s.opts.WorkerName, nonce}, func(r reply) { s.learn(r, 2) })
}

// resume completes the intent of the last process of this name.
func (s *crawl) resume(ctx context.Context) error {
	key := s.layout.in(s.home, "intents")
	text, err := s.client.Do(ctx, s.client.B().Hget().Key(key).Field(s.opts.WorkerName).Build()).ToString()
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
		c.script = s.scripts.shard
		c.set("again", "1")
		if _, err := s.run(ctx, fixed(c)); err != nil {
			return err
		}
	}
	return classify(s.client.Do(ctx, s.client.B().Hdel().Key(key).Field(s.opts.WorkerName).Build()).Error())
}
