/** A disk that is really full, of the databases; the platform's own lies on another. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type DedicatedCloud, dedicatedCloud } from '../../cloud/dedicated/dedicated-world.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { serverOfDatabase } from '../../harness/end-databases.ts'
import { fillDisk, smallDisk } from '../../harness/small-disk.ts'
import { until } from '../../harness/until.ts'
import { boot, dedicatedConfig } from '../../harness/world.ts'

const canRun = await hasJail()

const kept = async (cloud: DedicatedCloud) => {
  const { body } = await cloud.read('select n from kept order by n')
  return body.rows?.flat() ?? body.error.code
}
const insert = async (cloud: DedicatedCloud, n: number): Promise<string> => {
  const { status, body } = await cloud.write(`insert into kept values (${n})`)
  return status === 200 ? 'done' : body.error.code
}

test.runIf(canRun)(
  'where a disk is full its databases only read, the platform goes on, and once there is room nothing is missing',
  async ({ skip }) => {
    await using disk = await smallDisk('700m')
    if (!disk) return skip('this user may mount no disk')
    await using world = await boot({ config: dedicatedConfig, env: { KHERAD_DATA: disk.path } })
    const growing = await dedicatedCloud(world)
    const beside = await dedicatedCloud(world)
    const platform = () =>
      growing.client.post('/v1/chat/completions', {
        model: 'sandbox/fast',
        messages: [{ role: 'user', content: 'سلام' }],
      })
    for (const cloud of [growing, beside])
      await cloud.write('create table kept (n int); insert into kept values (0)')
    await growing.write(
      'create table grown (filler text); alter table grown alter filler set storage external',
    )

    // One statement that would take more than all of it, at the pace of a disk: memory would be full between two looks of the watch.
    let isOver = false
    const grown = growing
      .write(
        `insert into grown select repeat('x', 100000) from generate_series(1, 20000) n where pg_sleep(n * 0 + 0.001) is not null`,
      )
      .finally(() => {
        isOver = true
      })
    while (!isOver) expect(await kept(beside)).toEqual([0])
    expect((await grown).body.error).toMatchObject({ code: 'SQL_DATABASE_LOST' })
    expect([await kept(growing), await kept(beside), (await platform()).status]).toEqual([[0], [0], 200])
    const readsOnly = ['CLOUD_READ_ONLY', 'CLOUD_READ_ONLY']
    expect([await insert(growing, 1), await insert(beside, 1)]).toEqual(readsOnly)
    const emptied = await growing.write('truncate grown')
    expect(emptied.status, emptied.text).toBe(200)
    await until(async () => (await insert(beside, 2)) === 'done')

    // Somebody else fills it, and a database is killed then: it cannot write its log, so it does not start.
    const others = path.join(disk.path, 'others')
    await fillDisk(others)
    expect([await insert(growing, 3), await insert(beside, 3)]).toEqual(readsOnly)
    expect([await kept(growing), await kept(beside), (await platform()).status]).toEqual([[0], [0, 2], 200])
    process.kill((await serverOfDatabase(path.join(disk.path, 'databases'), growing.ref))!, 'SIGKILL')
    await until(async () => (await kept(growing)) === 'DATABASE_DOES_NOT_START')
    expect([await kept(beside), (await platform()).status]).toEqual([[0, 2], 200])
    await rm(others)
    await until(async () => (await insert(growing, 4)) === 'done')
    expect([await kept(growing), await kept(beside)]).toEqual([
      [0, 4],
      [0, 2],
    ])
  },
)
