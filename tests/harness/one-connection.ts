import type { World } from './world.ts'

/**
 * Runs while the server's pool has one free connection: a request that asks for a second one during a transaction would wait for itself, until the
 * pool gives up.
 */
export async function onOneConnection<Result>(world: World, run: () => Promise<Result>): Promise<Result> {
  const { pool } = world.app.db
  const others = await Promise.all(Array.from({ length: pool.options.max - 1 }, () => pool.connect()))
  try {
    return await run()
  } finally {
    for (const client of others) client.release()
  }
}
