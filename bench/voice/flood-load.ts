/** Those who flood, from a process of their own: `node bench/voice/flood-load.ts '{…FloodOptions}'` prints what became of them as one line of JSON. */
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { WebSocket } from 'ws'
import { openBrowser } from '../../tests/media/browser.ts'
import { bindingRequest, LeanPeer, offerOf } from '../../tests/platform/webrtc/lean-peer.ts'

export interface FloodOptions {
  url: string
  key: string
  kind: 'none' | 'channel' | 'socket' | 'checks' | 'handshake' | 'frames'
  peers: number
  /** Of each peer. */
  messages: number
}

export interface FloodResult {
  sent: number
  answered: number
  /** Peers whose line was still open at the end. */
  open: number
  seconds: number
}

type Flooded = Omit<FloodResult, 'seconds'>

/** A known event that is answered. */
const message = '{"type":"input_audio_buffer.clear"}'
const maxSeconds = 45
const options: FloodOptions = JSON.parse(process.argv[2]!)
const beganMs = performance.now()

async function answered(sdp: string): Promise<string> {
  const reply = await fetch(`${options.url}/v1/realtime/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sdp, model: 'bench/talk' }),
  })
  return ((await reply.json()) as { sdp: string }).sdp
}

/** In a page, as text, since what is of a browser has no types here. */
const script = `
async function open(url, key) {
  const pc = new RTCPeerConnection()
  pc.addTransceiver('audio')
  const channel = pc.createDataChannel('oai-events')
  let answered = 0
  channel.onmessage = ({ data }) => { if (data.includes('input_audio_buffer.cleared')) answered++ }
  await pc.setLocalDescription(await pc.createOffer())
  const reply = await fetch(url + '/v1/realtime/calls', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
    body: JSON.stringify({ sdp: pc.localDescription.sdp, model: 'bench/talk' }),
  })
  await pc.setRemoteDescription({ type: 'answer', sdp: (await reply.json()).sdp })
  await new Promise((resolve) => { channel.onopen = resolve })
  return { pc, channel, answered: () => answered }
}
async function flood(url, key, peers, messages, message, seconds) {
  const opened = await Promise.all(Array.from({ length: peers }, () => open(url, key)))
  const untilMs = performance.now() + 1000 * seconds
  await Promise.all(opened.map(async ({ channel, answered }) => {
    for (let i = 0; i < messages && channel.readyState === 'open'; i++) {
      channel.send(message)
      if (i % 1000 === 999) await new Promise((resolve) => setTimeout(resolve))
    }
    while (performance.now() < untilMs && channel.readyState === 'open' && answered() < messages)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }))
  const sum = (values) => values.reduce((all, one) => all + one, 0)
  return {
    sent: sum(opened.map(({ channel }) => messages - channel.bufferedAmount / message.length)),
    answered: sum(opened.map(({ answered }) => answered())),
    open: opened.filter(({ channel }) => channel.readyState === 'open').length,
  }
}
`

async function floodChannels({ url, key, peers, messages }: FloodOptions): Promise<Flooded> {
  await using stack = new AsyncDisposableStack()
  const browser = await openBrowser(stack, ['--disable-web-security'])
  const page: Page = await browser.newPage()
  await page.route('http://localhost/', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto('http://localhost/')
  await page.addScriptTag({ content: script })
  const given = [url, key, peers, messages, message, maxSeconds].map((value) => JSON.stringify(value))
  return await page.evaluate(`flood(${given.join(', ')})`)
}

async function floodSockets({ url, key, peers, messages }: FloodOptions): Promise<Flooded> {
  const all: Flooded = { sent: 0, answered: 0, open: 0 }
  const one = async (): Promise<void> => {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=bench/talk`, {
      headers: { authorization: `Bearer ${key}` },
      perMessageDeflate: false,
    })
    ws.on('error', () => undefined)
    const closed = new Promise<void>((resolve) => ws.once('close', () => resolve()))
    ws.on('message', (data) => {
      if (String(data).includes('input_audio_buffer.cleared')) all.answered++
    })
    await Promise.race([new Promise((resolve) => ws.once('open', resolve)), closed])
    for (let i = 0; i < messages && ws.readyState === ws.OPEN; i++) {
      ws.send(message)
      all.sent++
      if (i % 1_000 === 999) await turn()
    }
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 10_000))])
    if (ws.readyState === ws.OPEN) all.open++
    ws.terminate()
  }
  await Promise.all(Array.from({ length: peers }, one))
  return all
}

/** Peers that are connected, and send by `send` what no browser sends. */
async function floodPeers(send: (peer: LeanPeer, at: number) => void): Promise<Flooded> {
  const { peers, messages } = options
  let closed = 0
  const opened = await Promise.all(
    Array.from({ length: peers }, () => LeanPeer.connect({ answer: answered, closed: () => closed++ })),
  )
  const before = opened.reduce((all, { came }) => all + came.checks, 0)
  for (let at = 0; at < messages; at++) {
    for (const peer of opened) send(peer, at)
    if (at % 10 === 9) await turn()
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const checks = opened.reduce((all, { came }) => all + came.checks, 0) - before
  const result = { sent: peers * messages, answered: checks, open: peers - closed }
  for (const peer of opened) await peer[Symbol.asyncDispose]()
  return result
}

/** Records of one byte of a handshake in the clear, as many as a datagram has room for. */
const handshake = ((): Buffer => {
  const fragment = Buffer.from([11, 0, 64, 0, 0, 1, 0, 0, 0, 0, 0, 1, 7])
  const header = Buffer.from([22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 1, 0, fragment.length])
  return Buffer.concat(Array(45).fill(Buffer.concat([header, fragment])))
})()

/** Peers that nominate a path and then only send, over UDP or TCP. Their connections fail after ten seconds. */
async function floodUnconnected(transport: 'udp' | 'tcp', datagram: Buffer): Promise<Flooded> {
  const { createSocket } = await import('node:dgram')
  const { peers, messages } = options
  const fingerprint = Array(32).fill('AB').join(':')
  let sent = 0
  let open = 0
  const one = async (_: unknown, at: number): Promise<void> => {
    const answer = await answered(offerOf(`name${at}`, fingerprint))
    const found = (pattern: RegExp): string => pattern.exec(answer)![1]!
    const [host = '', port = ''] = found(/a=candidate:\S+ 1 udp \d+ (127\.\S+ \d+) typ host/i).split(' ')
    const check = bindingRequest(`${found(/a=ice-ufrag:(\S+)/)}:name${at}`, found(/a=ice-pwd:(\S+)/))
    if (transport === 'udp') {
      const socket = createSocket('udp4')
      socket.send(check, Number(port), host)
      await new Promise((resolve) => socket.once('message', resolve))
      for (let i = 0; i < messages; i++, sent++) {
        socket.send(datagram, Number(port), host)
        if (i % 10 === 9) await turn()
      }
      open++
      socket.close()
      return
    }
    const line = connect(Number(port), host).on('error', () => undefined)
    const closed = new Promise<void>((resolve) => line.once('close', () => resolve()))
    line.resume()
    const framed = (bytes: Buffer): Buffer =>
      Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
    line.write(framed(check))
    await new Promise((resolve) => line.once('data', resolve))
    const many = Buffer.concat(Array(100).fill(framed(datagram)))
    for (let i = 0; i < messages && !line.destroyed; i += 100, sent += 100)
      if (!line.write(many))
        await Promise.race([new Promise((resolve) => line.once('drain', resolve)), closed])
    if (!line.destroyed) open++
    line.destroy()
  }
  await Promise.all(Array.from({ length: peers }, one))
  return { sent, answered: 0, open }
}

const runs: Record<FloodOptions['kind'], () => Promise<Flooded>> = {
  none: async () => {
    await new Promise((resolve) => setTimeout(resolve, 15_000))
    return { sent: 0, answered: 0, open: 0 }
  },
  channel: () => floodChannels(options),
  socket: () => floodSockets(options),
  checks: () => floodPeers((peer) => peer.check()),
  handshake: () => floodUnconnected('udp', handshake),
  frames: () => floodUnconnected('tcp', handshake),
}
const result: FloodResult = {
  ...(await runs[options.kind]()),
  seconds: (performance.now() - beganMs) / 1_000,
}
console.log(JSON.stringify(result))
process.exit(0)
