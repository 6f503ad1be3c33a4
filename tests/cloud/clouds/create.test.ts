import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type World } from '../../harness/world.ts'

describe('clouds', () => {
  let world: World
  beforeAll(async () => {
    world = await boot()
  })
  afterAll(async () => world[Symbol.asyncDispose]())

  test('a Starter cloud is created ready, and known by its ref at once', async () => {
    const cloud = await world.cloud('فروشگاه')
    expect(cloud.ref).toMatch(/^[a-z]{20}$/)
    expect(cloud.publicKey).toMatch(/^khp_[0-9A-Za-z]{49}$/)
    const live = world.app.clouds.known(cloud.ref)
    expect(live?.state).toBe('ready')
    expect(live?.signingKeys).toHaveLength(1)
    expect(await cloud.serviceKey()).toMatch(/^khs_[0-9A-Za-z]{49}$/)
  })
})
