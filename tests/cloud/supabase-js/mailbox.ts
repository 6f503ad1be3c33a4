/** A mail server that keeps what apps send, and a person who opens the links of it. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'vitest'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'

export interface Mailbox extends AsyncDisposable {
  config: string
  /** The text of the newest mail to an address. */
  newest(address: string): Promise<string>
}

const letters: { to: string; text: string }[] = []

/** A mail server that keeps what it is given. */
export async function openMailbox(): Promise<Mailbox> {
  const server = createServer((socket) => {
    let [text, to, isData] = ['', '', false]
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 test')
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += chunk.toString()
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end === -1) return
        const line = text.slice(0, end)
        text = text.slice(end + (isData ? 5 : 2))
        if (isData) {
          letters.push({ to, text: decoded(line) })
          isData = false
          say('250 kept')
        } else if (/^DATA/i.test(line)) {
          isData = true
          say('354 go on')
        } else {
          if (/^RCPT TO:/i.test(line)) to = /<([^>]*)>/.exec(line)![1]!
          say(/^EHLO/i.test(line) ? '250 test' : /^QUIT/i.test(line) ? '221 bye' : '250 fine')
        }
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    config: `mail: { host: 127.0.0.1, port: ${port}, from: "Apps <apps@example.org>" }\n`,
    async newest(address) {
      await until(() => letters.some(({ to }) => to === address))
      return letters.findLast(({ to }) => to === address)!.text
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** Quoted-printable or Base64, whichever a part of the mail is in. */
function decoded(mail: string): string {
  const parts = mail.split(/\r\n--[^\r\n]+\r\n/)
  return parts
    .map((part) => {
      const [head = '', ...body] = part.split('\r\n\r\n')
      const text = body.join('\r\n\r\n')
      if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString()
      const bytes = text
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      return /quoted-printable/i.test(head) ? Buffer.from(bytes, 'latin1').toString() : part
    })
    .join('\n')
}

/** Scanners open links; only the button of the page acts. Where it leads on to. */
export async function press(mailedLink: string, world: World): Promise<string> {
  // A test's server has a port that its base URL does not know.
  const link = new URL(new URL(mailedLink).pathname, world.url)
  const page = await fetch(link)
  expect(page.status).toBe(200)
  const reply = await fetch(link, { method: 'POST', redirect: 'manual', body: new URLSearchParams() })
  expect(reply.status).toBe(303)
  return reply.headers.get('location')!
}
