/** The gateway of text messages: the request is that of its documentation to the byte, and its answer is judged so that no message is sent twice. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { openGuardedClient } from '#platform/net'
import { openSms, type SmsResult } from '#platform/sms'
import { loadConfig } from '#settings'
import { freePort } from '../../harness/free-port.ts'
import { SmsGateway } from '../../harness/sms-gateway.ts'

const net = openGuardedClient({ allowedCidrs: ['127.0.0.0/8'] })
const to = '+989123456789'
const code = '012345'
let gateway: SmsGateway
const logged: string[] = []
beforeAll(async () => {
  gateway = await SmsGateway.start()
})
beforeEach(() => {
  gateway.received.length = 0
  gateway.answers.length = 0
  logged.length = 0
})
afterAll(() => gateway[Symbol.asyncDispose]())

const variables = { SMS_KEY: 'k&=%"ey', SMS_USER: '۰۹', SMS_PASSWORD: 'p&w=d ü%' }
const configOf = (text: string) => loadConfig(readEnv(variables), text).sms!

const counted: string[] = []
/** Sends one message by a configuration in which AT stands for the gateway. */
async function send(
  text: string,
  message: { to: string; code?: string } = { to, code },
  client = net,
): Promise<SmsResult> {
  const config = configOf(text.replaceAll('AT', gateway.url))
  const log = { warn: (_: object, line: string) => logged.push(line) } as never
  const metrics = { sms: { inc: ({ result }: { result: string }) => counted.push(result) } } as never
  return openSms({ config, net: client, log, metrics }).send(message, AbortSignal.timeout(20_000))
}

const json = (body: unknown, status = 200): void => {
  gateway.answers.push((response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  )
}

/** The bytes of the only request that came, less what every request has. */
const received = () => {
  expect(gateway.received).toHaveLength(1)
  const { method, path, body, headers } = gateway.received[0]!
  const { host, connection, accept, 'user-agent': agent, 'accept-encoding': encoding, ...rest } = headers
  expect([host, accept, agent, encoding, connection].every((one) => one !== undefined)).toBe(true)
  return { method, path, body, headers: rest }
}

describe('the request to', () => {
  test('Kavenegar is a form with the key in the path', async () => {
    json({ return: { status: 200, message: 'تایید شد' }, entries: [] })
    const result = await send(`
sms:
  url: AT/v1/abc123/verify/lookup.json
  kind: form
  template: { receptor: "{to:09}", token: "{code}", template: kherad-code }
  success: { pointer: /return/status, equals: 200 }
`)
    expect(result).toEqual({ outcome: 'sent' })
    expect(received()).toEqual({
      method: 'POST',
      path: '/v1/abc123/verify/lookup.json',
      body: 'receptor=09123456789&token=012345&template=kherad-code',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '54' },
    })
  })

  test('sms.ir is JSON with the key in a header, and a number that stays one', async () => {
    json({ status: 1, message: 'موفق', data: {} })
    const result = await send(`
sms:
  url: AT/v1/send/verify
  headers: { X-API-KEY: "\${SMS_KEY}" }
  template: { mobile: "{to:09}", templateId: 100000, parameters: [{ name: CODE, value: "{code}" }] }
  success: { pointer: /status, equals: 1 }
`)
    expect(result).toEqual({ outcome: 'sent' })
    expect(received()).toEqual({
      method: 'POST',
      path: '/v1/send/verify',
      body: '{"mobile":"09123456789","templateId":100000,"parameters":[{"name":"CODE","value":"012345"}]}',
      headers: { 'content-type': 'application/json', 'content-length': '92', 'x-api-key': 'k&=%"ey' },
    })
  })

  test('Melipayamak is a form in which user and password keep every character', async () => {
    json({ Value: '12345', RetStatus: 1, StrRetStatus: 'Ok' })
    const result = await send(`
sms:
  url: AT/api/SendSMS/BaseServiceNumber
  kind: form
  template: { username: "\${SMS_USER}", password: "\${SMS_PASSWORD}", text: "{code}", to: "{to:09}", bodyId: 4321 }
  success: { pointer: /RetStatus, equals: 1 }
`)
    expect(result).toEqual({ outcome: 'sent' })
    const { body, path } = received()
    expect(path).toBe('/api/SendSMS/BaseServiceNumber')
    expect(body).toBe(
      'username=%DB%B0%DB%B9&password=p%26w%3Dd+%C3%BC%25&text=012345&to=09123456789&bodyId=4321',
    )
  })

  test('IPPanel Edge is nested JSON with a list of numbers and a line of its own', async () => {
    json({ meta: { status: true, message: 'انجام شد' }, data: {} })
    const result = await send(`
sms:
  url: AT/api/send
  headers: { Authorization: "\${SMS_KEY}" }
  params: { line: "+983000505" }
  template:
    sending_type: pattern
    from_number: "{param:line}"
    code: pattern-code
    recipients: ["{to:+98}"]
    params: { code: "{code}" }
  success: { pointer: /meta/status, equals: true }
`)
    expect(result).toEqual({ outcome: 'sent' })
    expect(received()).toMatchObject({
      path: '/api/send',
      body: '{"sending_type":"pattern","from_number":"+983000505","code":"pattern-code","recipients":["+989123456789"],"params":{"code":"012345"}}',
      headers: { authorization: 'k&=%"ey', 'content-type': 'application/json' },
    })
  })

  test('a gateway that takes GET has it all in the query, and other countries are written with 00', async () => {
    const text = `
sms:
  url: AT/send?key=1
  method: GET
  kind: query
  prefixes: ["+98", "+49"]
  template: { to: "{to:09}", plain: "{to:98}", text: "{code} {code}" }
  changed: { to: "{to:+98}" }
`
    expect(await send(text, { to: '+4915123456789', code })).toEqual({ outcome: 'sent' })
    expect(received()).toEqual({
      method: 'GET',
      path: '/send?key=1&to=004915123456789&plain=4915123456789&text=012345+012345',
      body: '',
      headers: {},
    })
    // A message without a code has a template of its own.
    expect(await send(text, { to })).toEqual({ outcome: 'sent' })
    expect(gateway.received.at(-1)!.path).toBe('/send?key=1&to=%2B989123456789')
  })
})

const usual = `
sms:
  url: AT/v1/secret-key/send
  template: { to: "{to:09}", code: "{code}" }
  success: { pointer: /return/status, equals: 200 }
  timeout_seconds: 1
`

describe('an answer', () => {
  test.each([
    ['a status of the gateway that refuses', { return: { status: 418 } }, 200, 'refused'],
    ['the right figure as a text', { return: { status: '200' } }, 200, 'refused'],
    ['nothing at the pointer', { return: null }, 200, 'refused'],
    ['a member of the prototype', { return: 'x' }, 200, 'refused'],
    ['a refusal by HTTP', { return: { status: 200 } }, 401, 'refused'],
    ['too many requests', {}, 429, 'refused'],
    ['another success than the named one', { return: { status: 200 } }, 202, 'refused'],
    ['a broken gateway', { return: { status: 200 } }, 502, 'unknown'],
  ])('with %s counts as what it is', async (_, body, status, outcome) => {
    json(body, status)
    expect((await send(usual)).outcome).toBe(outcome)
    expect(gateway.received).toHaveLength(1)
  })

  test('that is no JSON, empty, too large, cut or late may mean that the message has gone', async () => {
    const ways: ((response: ServerResponse) => void)[] = [
      (response) => response.end('<html>ok</html>'),
      (response) => response.end(),
      (response) => response.end(Buffer.alloc(70_000, ' ')),
      (response) =>
        void response
          .writeHead(200, { 'content-length': '50' })
          .write('{"return":', () => response.destroy()),
      () => undefined,
    ]
    for (const way of ways) {
      gateway.answers.push(way)
      expect((await send(usual)).outcome).toBe('unknown')
    }
    expect(gateway.received).toHaveLength(ways.length)
  })

  test('that leads elsewhere is not followed', async () => {
    gateway.answers.push((response) => response.writeHead(302, { location: `${gateway.url}/other` }).end())
    expect((await send(usual)).outcome).toBe('refused')
    expect(gateway.received).toHaveLength(1)
  })
})

test('a gateway at a private address gets nothing unless the operator permits the network, and one that is away was never reached', async () => {
  const closed = openGuardedClient({ allowedCidrs: [] })
  expect((await send(usual, { to, code }, closed)).outcome).toBe('refused')
  expect(gateway.received).toEqual([])
  const away = usual.replace('AT', `http://127.0.0.1:${await freePort()}`)
  expect((await send(away)).outcome).toBe('unreached')
})

test('nothing that is logged or returned has the number, the code, the key or the path', async () => {
  json({ return: { status: '012345-09123456789' } })
  const results = [await send(usual)]
  gateway.answers.push((response) => response.end('09123456789 012345'))
  results.push(await send(usual))
  json({ to: '09123456789' }, 400)
  results.push(await send(usual))
  const told = JSON.stringify([results, logged])
  expect(logged.length).toBe(3)
  for (const secret of ['9123456789', '012345', 'secret-key', 'v1']) expect(told).not.toContain(secret)
})

describe('the configuration', () => {
  test('of every gateway in the guide starts, in both languages', () => {
    for (const file of ['sms.md', 'sms.fa.md']) {
      const text = readFileSync(path.resolve(import.meta.dirname, '../../../docs/operations', file), 'utf8')
      const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => block!)
      expect(blocks).toHaveLength(4)
      for (const block of blocks) {
        const names = [...block.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name!)
        const filled = names.map((name) => [name, name.endsWith('URL') ? 'https://panel.example' : 'filled'])
        expect(loadConfig(readEnv(Object.fromEntries(filled)), block).sms).toBeDefined()
      }
    }
  })

  const start = 'sms:\n  url: https://gateway.example/secret-path\n'
  const template = '  template: { to: "{to:09}", code: "{code}" }\n'
  test.each([
    ['without an address', `sms:\n${template}`, 'url is missing'],
    ['without a template', start, 'template is missing'],
    [
      'with plain HTTP to the world',
      `sms:\n  url: http://gateway.example/secret-path\n${template}`,
      'https://',
    ],
    [
      'with a password in the address',
      `sms:\n  url: https://me:secret-path@gateway.example\n${template}`,
      'https://',
    ],
    [
      'with a placeholder that means nothing',
      `${start}  template: { to: "{to:09}", code: "{cod}" }\n`,
      '{code}',
    ],
    ['without the code', `${start}  template: { to: "{to:09}" }\n`, '{code}'],
    ['without the number', `${start}  template: { code: "{code}" }\n`, '{to:09}'],
    [
      'with a code in the notice',
      `${start}${template}  changed: { to: "{to:09}", code: "{code}" }\n`,
      'known are',
    ],
    [
      'with nested values in a form',
      `${start}  kind: form\n  template: { a: { to: "{to:09}", code: "{code}" } }\n`,
      'nested',
    ],
    ['with a pointer alone', `${start}${template}  success: { pointer: /status }\n`, 'pointer and equals'],
    [
      'with a pointer that is none',
      `${start}${template}  success: { pointer: status, equals: 1 }\n`,
      'JSON pointer',
    ],
    ['with a header of its own host', `${start}${template}  headers: { Host: secret-path }\n`, 'a header'],
    ['with a prefix without its sign', `${start}${template}  prefixes: ["98"]\n`, '"+98"'],
    ['without any prefix', `${start}${template}  prefixes: []\n`, 'at least 1'],
    ['without a message a day', `${start}${template}  daily_messages: 0\n`, '1 … '],
  ])('%s stops the start with a sentence that repeats no secret', (_, text, says) => {
    expect(() => configOf(text)).toThrow(says)
    expect(() => configOf(text)).not.toThrow('secret-path')
  })
})
