import { expect, test } from 'vitest'
import { loadConfig, readEnv } from '#platform/config'
import { studio } from './settings.ts'

const load = (file: string) => loadConfig([studio], readEnv({}), file).studio

test('a project may have up to 10,000 videos made and up to 10,000 waiting, and none need wait', () => {
  expect(load('studio: { videos_running: 10000, videos_queued: 10000 }')).toMatchObject({
    videosRunning: 10_000,
    videosQueued: 10_000,
  })
  expect(load('studio: { videos_running: 1, videos_queued: 0 }')).toMatchObject({ videosQueued: 0 })
  for (const file of [
    'videos_running: 10001',
    'videos_running: 0',
    'videos_queued: 10001',
    'videos_queued: -1',
  ])
    expect(() => load(`studio: { ${file} }`), file).toThrow(/10,?000/)
})
