import { sandboxVideos } from '#providers/sandbox'
import { writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import sharp from 'sharp'
const v = sandboxVideos()
const timeouts = { connectMs: 1e4, firstByteMs: 1e4, firstTokenMs: 1e4, idleMs: 1e4, totalMs: 1e5 }
const signal = new AbortController().signal
const pic = async (c: string) => ({ data: await sharp(Buffer.from(`<svg width="400" height="300"><rect width="400" height="300" fill="${c}"/><circle cx="200" cy="150" r="100" fill="white"/></svg>`)).png().toBuffer(), mediaType: 'image/png' })
const cases: [string, any][] = [
 ['a', { prompt: 'یک دریا، موج‌ها و مرغ‌های دریایی', seconds: 3, resolution: '480p', aspectRatio: '16:9', withAudio: true, references: [] }],
 ['b', { prompt: 'A cat walks 12 steps in تهران', seconds: 1, resolution: '480p', aspectRatio: '9:16', withAudio: false, references: [] }],
 ['c', { prompt: 'frames', seconds: 4, resolution: '720p', aspectRatio: '1:1', withAudio: true, referenceMode: 'frames', references: [await pic('red'), await pic('blue')] }],
 ['d', { prompt: 'یک فریم', seconds: 4, resolution: '1080p', aspectRatio: '3:4', withAudio: true, referenceMode: 'frames', references: [await pic('green')] }],
 ['e', { prompt: 'راهنما', seconds: 2, resolution: '720p', aspectRatio: '4:3', withAudio: true, referenceMode: 'guide', references: await Promise.all(['red','blue','green','orange','black','pink','gray','cyan'].map(pic)) }],
 ['g', { prompt: 'fade 1080', seconds: 30, resolution: '1080p', aspectRatio: '16:9', withAudio: true, referenceMode: 'frames', references: [await pic('red'), await pic('blue')] }],
]
for (const [n, order] of cases) {
  order.prompt += ' [[sandbox: work_ms=0]]'
  const ticket = await v.submit({ order, upstreamModel: 'video', signal, timeouts, attemptId: 'x' })
  const look = { ticket, order: async () => order, upstreamModel: 'video', signal, timeouts }
  console.log(n, ticket.id.length, await v.look(look))
  const c0 = process.cpuUsage()
  const parts = []; for await (const p of v.fetch(look)) parts.push(p)
  const c = process.cpuUsage(c0)
  writeFileSync(`/tmp/vs/${n}.mp4`, Buffer.concat(parts))
  console.log(Buffer.concat(parts).length, (c.user+c.system)/1e3)
  console.log(execFileSync('sh', ['-c', `ffmpeg -v error -i /tmp/vs/${n}.mp4 -f null - 2>&1; ffprobe -v warning -show_entries stream=codec_name,width,height,avg_frame_rate,duration:format=duration -of csv=p=0 /tmp/vs/${n}.mp4 2>&1; node /tmp/vs/p.ts /tmp/vs/${n}.mp4`]).toString())
}
