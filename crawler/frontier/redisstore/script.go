package redisstore

import (
	"crypto/sha1" //nolint:gosec // how Redis names scripts
	_ "embed"
	"encoding/hex"
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

type scripts struct {
	// These are for a shard, or on one server for several.
	turn, heads, extend, hold, unhold, release, update, host, stats, list, boot, reclaim, intent script
	// These are for the crawl as a whole.
	join, sync, tell, take, settle script
}

func newScripts(l *layout) scripts {
	with := func(lib, text string) script {
		text = "local CRAWL = '" + l.id + "' -- " + l.namespace + "\n" + lib + "\n" + text
		sum := sha1.Sum([]byte(text)) //nolint:gosec // how Redis names scripts
		return script{text: text, sha: hex.EncodeToString(sum[:])}
	}
	shard := func(text string) script { return with(libText, text) }
	crawl := func(text string) script { return with(crawlText, text) }
	return scripts{
		turn: shard(turnText), heads: shard(headsText), extend: shard(extendText),
		hold: shard(holdText), unhold: shard(unholdText), release: shard(releaseText),
		update: shard(updateText), host: shard(hostText), stats: shard(statsText), list: shard(listText),
		boot: shard(bootText), reclaim: shard(reclaimText), intent: shard(intentText),
		join: crawl(joinText), sync: crawl(syncText), tell: crawl(tellText), take: crawl(takeText), settle: crawl(settleText),
	}
}
