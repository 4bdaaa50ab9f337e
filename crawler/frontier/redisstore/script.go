package redisstore

import (
	"crypto/sha1" //nolint:gosec // how Redis names scripts
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

//go:embed script/*.lua
var scriptFiles embed.FS

// scriptText returns the text of script/NAME.lua.
func scriptText(name string) string {
	text, err := scriptFiles.ReadFile("script/" + name + ".lua")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A script belongs to one crawl, since its text contains the name and ID of the crawl. A
// server that does not know it has not executed it since the server was started.
type script struct {
	text, sha string
}

// scripts are the scripts of a crawl: one for its shards, one for the crawl as a whole, and
// boot. The first argument selects the operation. A restarted server does not know the script
// of the shards until all shards have executed boot, so no worker misses the restart.
type scripts struct {
	shard, crawl, boot script
}

func newScripts(l *layout) scripts {
	return scripts{
		shard: newScript(l, "lib", "transaction", "heads", "extend", "hold", "unhold", "release", "update", "host", "stats", "list",
			"reclaim", "intent"),
		boot:  newScript(l, "lib", "boot"),
		crawl: newScript(l, "crawl", "join", "sync", "publish", "reserve", "set_reserved"),
	}
}

// argumentsOf has the arguments of operations, in their order: first those of the library, then those of
// the operation, then others without names, from ARGV[REST].
var argumentsOf = map[string][]string{
	"lib":         {"operation", "delay", "slots", "instance"},
	"transaction": {"nonce", "worker", "again", "noteShard", "note", "instance", "basisShard", "basis"},
	"extend":      {"duration"},
	"hold":        {"shard", "host", "caller", "duration", "reservation", "worker"},
	"unhold":      {"shard", "host", "caller"},
	"release":     {"shard", "token", "delay"},
	"update":      {"shard", "host", "delay", "slots", "block"},
	"host":        {"shard", "host"},
	"list":        {"shard", "what", "at", "priority", "first", "last"},
	"reclaim":     {"worker", "nonce"},
	"intent":      {"shard", "worker", "instance", "note", "calls"},
	"boot":        {"alone", "first"},

	"crawl":   {"operation", "worker", "instance", "nonce"},
	"join":    {"way", "silence"},
	"sync":    {"runs", "changed", "status", "from"},
	"publish": {"message"},
	"reserve": {"counter", "number", "limit"},
}

// newScript joins a library and the operations that a call can select. They read arguments by name from
// common and p.
func newScript(l *layout, lib string, parts ...string) script {
	var b strings.Builder
	common := len(argumentsOf[lib])
	fmt.Fprintf(&b, "local CRAWL, NS = '%s', '%s'\nlocal common = {%s}\n%s\n", l.id, l.namespace, named(argumentsOf[lib], 1), scriptText(lib))
	for i, part := range parts {
		if i > 0 {
			b.WriteString("else")
		}
		names := argumentsOf[part]
		fmt.Fprintf(&b, "if common.operation == '%s' then\nlocal p, REST = {%s}, %d\n%s\n", part, named(names, common+1), common+len(names)+1, scriptText(part))
	}
	b.WriteString("end")
	sum := sha1.Sum([]byte(b.String())) //nolint:gosec // how Redis names scripts
	return script{text: b.String(), sha: hex.EncodeToString(sum[:])}
}

// named returns the fields of a table with arguments, from ARGV[from] on.
func named(names []string, from int) string {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "%s = ARGV[%d], ", name, from+i)
	}
	return b.String()
}

// set sets an argument of an operation on a shard.
func (c call) set(name, value string) {
	c.args[len(argumentsOf["lib"])+slices.Index(argumentsOf[c.args[0]], name)] = value
}
