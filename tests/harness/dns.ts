/** A name server on this machine that knows TXT records; written to RFC 1035, and as silent or as wrong as a test wants it. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface NameServer extends AsyncDisposable {
  /** For `net.dns_servers`. */
  readonly address: string
  /** The records of a name. Undefined: there is no such name. */
  set(name: string, records: readonly string[] | undefined): void
  /** Every answer is a server failure while it is true. */
  fails: boolean
  /** Names that were asked for. */
  readonly asked: string[]
}

export async function nameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const records = new Map<string, readonly string[]>()
  const server = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    set: (name: string, texts: readonly string[] | undefined): void =>
      void (texts ? records.set(name, texts) : records.delete(name)),
    fails: false,
    asked: [] as string[],
    [Symbol.asyncDispose]: async (): Promise<void> => {
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (question, { port, address }) => {
    const name = nameIn(question)
    server.asked.push(name)
    const answer = server.fails ? failure(question) : answerTo(question, records.get(name))
    socket.send(answer, port, address)
  })
  return server
}

const headerBytes = 12

/** The name that is asked for: labels, each after its length. */
function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = headerBytes; question[at]! > 0; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
  return labels.join('.').toLowerCase()
}

/** The question alone, without what may follow it. */
function questionOf(message: Buffer): Buffer {
  let end = headerBytes
  while (message[end]! > 0) end += message[end]! + 1
  return message.subarray(headerBytes, end + 5)
}

const codes = { none: 0, serverFailure: 2, noSuchName: 3 }

function head(message: Buffer, code: number, answers: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  message.copy(header, 0, 0, 2)
  // An answer, recursion desired and available.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers, 6)
  return Buffer.concat([header, questionOf(message)])
}

const failure = (message: Buffer): Buffer => head(message, codes.serverFailure, 0)

function answerTo(message: Buffer, texts: readonly string[] | undefined): Buffer {
  if (!texts) return head(message, codes.noSuchName, 0)
  return Buffer.concat([head(message, codes.none, texts.length), ...texts.map(record)])
}

/** A text is sent in strings of 255 bytes at most. */
function record(text: string): Buffer {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length || at === 0; at += 255) {
    const part = bytes.subarray(at, at + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  const data = Buffer.concat(parts)
  const fixed = Buffer.alloc(12)
  // The name as in the question, TXT, IN, one second to live.
  fixed.writeUInt16BE(0xc00c, 0)
  fixed.writeUInt16BE(16, 2)
  fixed.writeUInt16BE(1, 4)
  fixed.writeUInt32BE(1, 6)
  fixed.writeUInt16BE(data.length, 10)
  return Buffer.concat([fixed, data])
}
