/** The token of a file link opens the file to whoever has it: it is in no span and no line of the log. */
import { expect, test } from 'vitest'
import { bootWatched } from './watched.ts'

test('spans and lines name the route of a file link, and never its token', async () => {
  await using world = await bootWatched()
  const data = Buffer.from('a,b\n1,2\n').toString('base64')
  const stored = await world.key.post('/v1/files', { data, media_type: 'text/csv' })
  expect(stored.status, stored.text).toBe(201)
  const link = await world.key.post(`/v1/files/${stored.body.id}/links`, {})
  expect(link.status, link.text).toBe(201)
  const opened = await fetch(link.body.url)
  expect(await opened.text()).toBe('a,b\n1,2\n')
  const forged = link.body.url.slice(0, -6).concat('AAAAAA')
  expect((await fetch(forged)).status).toBe(404)
  await world.line(opened.headers.get('x-request-id')!)
  await world.stop()

  const spans = world.collector.spans().filter(({ name }) => name === 'GET /v1/media/{token}')
  expect(spans.map(({ attributes }) => attributes['url.path'])).toEqual(Array(2).fill('/v1/media/{token}'))
  const token = link.body.url.split('/').at(-1).slice(0, 40)
  expect(JSON.stringify(world.lines)).toContain('files.linked')
  expect(JSON.stringify(world.lines)).not.toContain(token)
  expect(world.collector.bodies.join('\n')).not.toContain(token)
})
