import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { openSite } from '../../platform/net/sites.ts'
import { brokerWorld } from './egress.ts'

test('a request passes with its method, path, headers and body, and its answer as it comes', async () => {
  await using site = await openSite((_, response) =>
    response.writeHead(207, { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end('سلام'),
  )
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const reply = await world.fetch(`${site.url}/a/b?c=%D8%B3`, {
    method: 'PROPFIND',
    headers: { authorization: 'Bearer own', 'x-own': '1' },
    body: 'درخواست',
  })
  expect(reply).toMatchObject({ status: 207, text: 'سلام', refused: undefined })
  expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2'])
  expect(site.seen).toMatchObject([
    {
      method: 'PROPFIND',
      url: '/a/b?c=%D8%B3',
      body: 'درخواست',
      headers: { authorization: 'Bearer own', 'x-own': '1' },
    },
  ])
})

test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])(
  '%s passes',
  async (method) => {
    await using site = await openSite((_, response) => response.end('fine'))
    await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
    const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method)
    const reply = await world.fetch(site.url, {
      method,
      ...(hasBody && { body: Readable.from(['a', 'b']), headers: { 'transfer-encoding': 'chunked' } }),
    })
    expect(reply).toMatchObject({ status: 200, text: method === 'HEAD' ? '' : 'fine' })
    expect(site.seen).toMatchObject([{ method, body: hasBody ? 'ab' : '' }])
  },
)
