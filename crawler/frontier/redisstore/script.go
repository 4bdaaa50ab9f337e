package redisstore

import (
	"crypto/sha1" //nolint:gosec // how Redis names scripts
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
)

//go:embed script/lib.lua
var libText string

//go:embed script/turn.lua
var turnText string

//go:embed script/heads.lua
var headsText string

//go:embed script/extend.lua
var extendText string

//go:embed script/hold.lua
var holdText string

//go:embed script/unhold.lua
var unholdText string

//go:embed script/release.lua
var releaseText string

//go:embed script/update.lua
var updateText string

//go:embed script/host.lua
var hostText string

//go:embed script/stats.lua
var statsText string

//go:embed script/list.lua
var listText string

//go:embed script/boot.lua
var bootText string

//go:embed script/reclaim.lua
var reclaimText string

//go:embed script/intent.lua
var intentText string

//go:embed script/crawl.lua
var crawlText string

//go:embed script/sync.lua
var syncText string

//go:embed script/tell.lua
var tellText string

//go:embed script/take.lua
var takeText string

//go:embed script/settle.lua
var settleText string

//go:embed script/delete.lua
var deleteText string

//go:embed script/check.lua
var checkText string

//go:embed script/create.lua
var createText string

//go:embed script/join.lua
var joinText string

// A script is one of a crawl. The crawl's name and ID stand in its text, so that no
// other crawl has it: a server that does not know it has not yet worked for this
// crawl since it began to run.
type script struct {
	text, sha string
}

// Scripts are those of a crawl: one for its shards, which on one server may work on
// several, and one for the crawl as a whole. What a call is to do is its first
// argument.
type scripts struct {
	shard, crawl script
}

// A part of a script is what one of its calls does.
type part struct{ name, text string }

func newScripts(l *layout) scripts {
	return scripts{
		shard: newScript(l, libText, []part{
			{"turn", turnText}, {"heads", headsText}, {"extend", extendText},
			{"hold", holdText}, {"unhold", unholdText}, {"release", releaseText},
			{"update", updateText}, {"host", hostText}, {"stats", statsText}, {"list", listText},
			{"boot", bootText}, {"reclaim", reclaimText}, {"intent", intentText},
		}),
		crawl: newScript(l, crawlText, []part{
			{"join", joinText}, {"sync", syncText}, {"tell", tellText}, {"take", takeText}, {"settle", settleText},
		}),
	}
}

func newScript(l *layout, lib string, parts []part) script {
	var b strings.Builder
	fmt.Fprintf(&b, "local CRAWL, NS = '%s', '%s'\n%s\n", l.id, l.namespace, lib)
	for i, p := range parts {
		if i > 0 {
			b.WriteString("else")
		}
		fmt.Fprintf(&b, "if ARGV[1] == '%s' then\n%s\n", p.name, p.text)
	}
	b.WriteString("end")
	sum := sha1.Sum([]byte(b.String())) //nolint:gosec // how Redis names scripts
	return script{text: b.String(), sha: hex.EncodeToString(sum[:])}
}
