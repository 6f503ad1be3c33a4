/** Checks what apps need: databases on this machine and on servers of the operator, and packages of functions. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { examineMachine, examineServer } from '#cloud/databases'
import { installedPackages } from '#cloud/functions'
import type { Config } from '#platform/config'
import { Failure } from '#platform/errors'
import { openJail } from '#platform/jail'
import { openLog } from '#platform/log'
import { broken, type DoctorCheck, ok, runCheck, warned } from './check.ts'
import { dedicatedPhrases as words } from './dedicated-phrases.ts'
import { nearestExisting } from './machine.ts'

const oldestVersion = 180_000
/** The most pages, 8 KB each, of notifications that nobody has read: no app needs more. */
const maxQueuePages = 16_384
const mebibyte = 1024 * 1024

/** Checks this machine where a package is offered or a database is there, and every server that is named. */
export async function checkDedicated(config: Config): Promise<DoctorCheck[]> {
  const { local, servers } = config.databases
  const isUsed = local && (config.clouds.packages.length > 0 || existsSync(rootOf(config)))
  const [machine, ...others] = await Promise.all([
    isUsed ? checkMachine(config) : [],
    ...servers.map((server) => checkServer(server)),
  ])
  return [...machine, ...others, ...(await checkPackages(config))]
}

async function checkPackages({ dataDir, functions }: Config): Promise<DoctorCheck[]> {
  const { packages } = functions
  if (packages.length === 0) return []
  const areThere = (await installedPackages(dataDir, packages)) !== undefined
  return [
    areThere
      ? ok('function_packages', words.functionPackages(packages.length))
      : broken('function_packages', words.functionPackagesAbsent()),
  ]
}

const rootOf = ({ dataDir }: Config): string => path.resolve(dataDir, 'databases')

async function checkMachine(config: Config): Promise<DoctorCheck[]> {
  const more: DoctorCheck[] = []
  const jailed = await runCheck('cloud_databases', async () => {
    // The jail has longer than during a request: nobody waits for the doctor, and a busy machine may take its time.
    using jail = openJail(openLog('silent'), { waits: { maxWaitMs: 60_000, pauseMs: 10_000 } })
    const root = rootOf(config)
    const { memoryShare, leastFreeDisk } = config.databases
    const found = await examineMachine({
      ...{ root, folder: await nearestExisting(root), pgBin: config.pgBin, memoryShare, leastFreeDisk },
      ...{ jail, log: openLog('silent') },
    }).catch(refusal)
    if ('why' in found) return broken('cloud_databases', words.cloudDatabasesRefused(found.why))
    const [free, least] = [found.freeBytes, found.leastFreeBytes].map((bytes) =>
      (bytes / 1024 / mebibyte).toFixed(1),
    ) as [string, string]
    const memory = {
      awake: found.awake,
      used: Math.round(found.awakeBytes / mebibyte),
      all: Math.floor(found.memoryBytes / mebibyte),
    }
    more.push(
      found.freeBytes < found.leastFreeBytes
        ? broken('cloud_disk', words.cloudDiskLow(free, least))
        : ok('cloud_disk', words.cloudDisk(free, least)),
      ok('cloud_memory', words.cloudMemory(memory)),
    )
    return ok('cloud_databases', words.cloudDatabases(found.major))
  })
  return [jailed, ...more]
}

function refusal(error: unknown): { why: { fa: string; en: string } } {
  if (error instanceof Failure && error.code === 'DATABASES_UNAVAILABLE')
    return error.detail as { why: { fa: string; en: string } }
  throw error
}

async function checkServer(server: Config['databases']['servers'][number]): Promise<DoctorCheck> {
  const name = `cloud_server ${server.name}`
  return runCheck(name, async () => {
    const found = await examineServer(server)
    if ('away' in found) return broken(name, words.cloudServerAway(found.away))
    const { version, isSuperuser, databases, queuePages } = found
    if (version < oldestVersion) return broken(name, words.cloudServerOld(found.versionName))
    if (!isSuperuser) return broken(name, words.cloudServerRole())
    if (queuePages > maxQueuePages) return warned(name, words.cloudServerQueue(queuePages, maxQueuePages))
    return ok(name, words.cloudServer(found.versionName, databases, server.limit))
  })
}
