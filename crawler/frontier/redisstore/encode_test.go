package redisstore

import (
	"bytes"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func FuzzItem(f *testing.F) {
	f.Add("http://a.test/x?y", "a.test", []byte("meta"), "\x03/ab")
	f.Add("https://a.test/x?y", "a.test", []byte("meta"), "\x04:/ab")
	f.Add("http://u@a.test", "a.test", []byte(nil), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x")
	f.Add("https://a.test/x?y#check-head-3", "a.test", []byte("meta"), "\x04/a#b")
	f.Add("", "", []byte{0}, "")
	f.Fuzz(func(t *testing.T, key, host string, meta []byte, damaged string) {
		h := frontier.Host(host)
		_, _ = decodeItem(damaged, h)
		if key != "" && key[0] >= 'a' && key[0] <= 'z' {
			got, err := decodeItem(encodeKey(key, h, meta), h)
			if err != nil || got.Key() != frontier.ParseKey(key) || got.Host != h || !bytes.Equal(got.Meta, meta) {
				t.Fatalf("%q of %q came back as %+v, %v", key, host, got, err)
			}
		}
	})
}

func FuzzValidators(f *testing.F) {
	f.Add(`W/"x"`, "Mon", []byte{1}, "\x01e\x00")
	f.Add("", "", []byte(nil), "\x05")
	f.Fuzz(func(t *testing.T, etag, modified string, hash []byte, damaged string) {
		_, _ = decodeValidators(damaged)
		want := &frontier.Validators{ETag: etag, LastModified: modified}
		if len(hash) > 0 {
			want.BodyHash = hash
		}
		got, err := decodeValidators(encodeValidators(want))
		if err != nil || !cmp.Equal(got, want) {
			t.Fatalf("%+v came back as %+v, %v", want, got, err)
		}
	})
}

func FuzzCalls(f *testing.F) {
	f.Add("key", "a", "", encodeCalls([]call{{key: "k", args: []string{"1", ""}}, {}}))
	f.Add("", "", "x", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
	f.Fuzz(func(t *testing.T, key, a, b, damaged string) {
		_, _ = decodeCalls(damaged)
		want := []call{{key: key, args: []string{a, b}}, {key: a, args: []string{}}}
		got, err := decodeCalls(encodeCalls(want))
		if err != nil || len(got) != 2 || got[0].key != key || !slices.Equal(got[0].args, want[0].args) || len(got[1].args) != 0 {
			t.Fatalf("%q came back as %q, %v", want, got, err)
		}
	})
}

func FuzzTicket(f *testing.F) {
	l := &layout{shards: 64, buckets: 10}
	f.Add("3/1f.abc-0/9/123")
	f.Add("64/x/0/1")
	f.Add("+1//-1/")
	f.Fuzz(func(t *testing.T, id string) {
		got, ok := l.readTicket(frontier.LeaseID(id))
		if ok && (got.id() != frontier.LeaseID(id) || got.shard >= l.shards || got.bucket >= l.buckets) {
			t.Fatalf("%q is %+v", id, got)
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add("other\ns3 100 50\nha.test")
	f.Add("me\ns3 100 50")
	f.Add("s\ns99999 1 1\ns-1 1 1\ns1 x\n\nh")
	f.Fuzz(func(t *testing.T, message string) {
		s := &schedule{crawl: &crawl{instance: "me", layout: layout{shards: 4}}, view: newView(4)}
		for k := range s.view.heads {
			s.view.heads[k].at = 1000
		}
		s.handleMessage(message)
		for _, h := range s.view.heads {
			if h.at > 1000 {
				t.Fatalf("%q made a head later: %+v", message, h)
			}
		}
	})
}

func TestRobots(t *testing.T) {
	for _, want := range []frontier.Robots{
		{Data: []byte{}},
		{FailingSince: time.UnixMilli(1234), Data: []byte("x")},
		{FailingSince: time.UnixMilli(-1), Data: []byte{0}},
	} {
		got, err := decodeRobots(encodeRobots(want))
		if err != nil || !got.FailingSince.Equal(want.FailingSince) || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
	}
	if _, err := decodeRobots("short"); err == nil {
		t.Error("a damaged record was read")
	}
}

func TestLayout(t *testing.T) {
	o, err := (&Options{CrawlName: "c", Shards: 64, Settings: []byte("\x00s")}).withDefaults()
	must(t, err)
	l := newLayout(&o)
	fields := make(map[string]string)
	for pair := range slices.Chunk(l.fields(), 2) {
		fields[pair[0]] = pair[1]
	}
	got, err := readLayout(l.namespace, fields)
	if err != nil || got != l {
		t.Fatalf("%+v came back as %+v, %v", l, got, err)
	}
	for field, value := range map[string]string{"format": "1", "id": "", "deleted": "1", "shards": "0", "buckets": "x", "urls": "00", "places": "zz"} {
		bad := maps.Clone(fields)
		bad[field] = value
		if _, err := readLayout(l.namespace, bad); err == nil {
			t.Errorf("%s %q was taken", field, value)
		}
	}
}
