import { spawn } from 'node:child_process'
import { open, rename, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { refuseStart } from '#platform/errors'
import type { Binaries } from './binaries.ts'
import type { ClusterLocation } from './cluster-location.ts'
import { phrases } from './phrases.ts'
import { hasEnded, readPostmaster, runsCluster, socketPort } from './postmaster.ts'
import { childEnv } from './server-user.ts'

/** A PostgreSQL that this process started. `ended` is undefined while it runs; afterwards it is the last output in its log. */
export interface ServerProcess {
  ended: string | undefined
}

const maxLogBytes = 10 << 20
/** How much of the log is read: the output of a failed start is a few lines. */
const tailBytes = 16 << 10

/**
 * Starts PostgreSQL so that it outlives this process: in a session of its own (Ctrl-C in the terminal does not reach it) and logging to a file (a
 * pipe would break with this process).
 */
export async function startServer(
  location: ClusterLocation,
  binaries: Binaries,
  socketFolder: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  await rotate(location.logFile)
  const log = await open(location.logFile, 'a', 0o600).catch((error: Error) =>
    refuseStart(phrases.fileFailed(location.logFile, error.message), error),
  )
  const { size: begin } = await log.stat()
  const fixed = {
    listen_addresses: '',
    // PostgreSQL reads this setting as a list, so spaces and commas need quotes.
    unix_socket_directories: `"${socketFolder}"`,
    unix_socket_permissions: '0700',
    port: String(socketPort),
  }
  const flags = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn(binaries.postgres, ['-D', location.cluster, ...flags], {
    ...location.user,
    cwd: '/',
    env: childEnv,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  const server: ServerProcess = { ended: undefined }
  const end = async (reason: string) => {
    server.ended = `${await readTail(location.logFile, begin)}${reason}`
  }
  child.on('error', (error) => void end(error.message))
  child.on('exit', (code, signal) => void end(code === 0 ? '' : `exit ${code ?? signal}`))
  child.unref()
  await log.close()
  return server
}

/** Requests a fast shutdown: sessions end, data is written. Returns true if it completed in time; otherwise it continues by itself. */
export async function stopServer(location: ClusterLocation, timeoutMs: number): Promise<boolean> {
  const postmaster = await readPostmaster(location.cluster)
  if (!postmaster || !(await runsCluster(postmaster.pid, location.cluster))) return true
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + timeoutMs
  while (!(await hasEnded(postmaster.pid))) {
    if (Date.now() > deadline) return false
    await pause(20)
  }
  return true
}

/** Kills the server without the cleanup of a shutdown; its next start recovers the data. */
export async function killServer({ cluster }: ClusterLocation): Promise<void> {
  const postmaster = await readPostmaster(cluster)
  if (!postmaster || !(await runsCluster(postmaster.pid, cluster))) return
  process.kill(postmaster.pid, 'SIGKILL')
  while (!(await hasEnded(postmaster.pid))) await pause(20)
}

/** Rotates the log, only between two runs: within a run it contains warnings and errors, not statements. */
async function rotate(file: string): Promise<void> {
  const about = await stat(file).catch(() => undefined)
  if (about && about.size > maxLogBytes) await rename(file, `${file}.1`).catch(() => undefined)
}

async function readTail(file: string, from: number): Promise<string> {
  const log = await open(file, 'r').catch(() => undefined)
  if (!log) return ''
  try {
    const { buffer, bytesRead } = await log.read(Buffer.alloc(tailBytes), 0, tailBytes, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await log.close()
  }
}
