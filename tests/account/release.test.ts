/** The release that runs is named the same everywhere: package.json is the one place that states it. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { kherad } from '../cli/command-line.ts'
import { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'

const folder = path.resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }

test('health, metrics, OpenAPI and the command line name the release of package.json', async () => {
  await using world = await sharedWorld()
  const client = new Client(world.url, '', '')
  for (const at of ['/health/live', '/health/ready'])
    expect((await client.get(at)).body).toMatchObject({ status: 'ok', release: version })
  expect((await client.get('/metrics')).text).toContain(`\nkherad_build_info{release="${version}"} 1\n`)
  expect((await client.get('/openapi.json')).body.info).toMatchObject({ 'x-kherad-release': version })
  expect((await kherad({}, '--version')).out).toBe(`${version}\n`)
})

test('the newest release of the changelog is that of package.json', () => {
  const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')
  expect(/^## (\d+\.\d+\.\d+) \(/m.exec(changelog)?.[1]).toBe(version)
})
