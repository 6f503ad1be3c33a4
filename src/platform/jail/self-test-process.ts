/**
 * Runs in a jail and tries to get out of it. Arguments: the port and the socket path of listeners outside, the number of the server's process and a
 * file that only the server should read. Writes the names of the attempts that succeeded.
 */
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const [port, socket, serverPid, secretFile] = process.argv.slice(2)

const works = (attempt: () => unknown): boolean => {
  try {
    return attempt() !== false
  } catch {
    return false
  }
}

const connects = (to: { port: number; host: string } | { path: string }): Promise<boolean> =>
  new Promise((resolve) => {
    const line = connect(to as { path: string })
    line.once('connect', () => resolve(true))
    line.once('error', () => resolve(false))
  })

const sendsDatagram = (): Promise<boolean> =>
  new Promise((resolve) => {
    try {
      const line = createSocket('udp4')
      line.once('error', () => resolve(false))
      line.send('out', Number(port), '127.0.0.1', (error) => {
        line.close()
        resolve(!error)
      })
    } catch {
      resolve(false)
    }
  })

// The server sees whether the signal arrives. In a container the server's number is small and may also be that of a process in the jail, which
// ignores this signal.
works(() => process.kill(Number(serverPid), 'SIGURG'))

const attempts: Record<string, boolean> = {
  file: works(() => readFileSync(secretFile!)),
  passwords: works(() => readFileSync('/etc/passwd')),
  processes: works(() => readdirSync('/proc').some((name) => name === serverPid)),
  parent: works(() => process.ppid !== 0 && process.kill(process.ppid, 0)),
  environment: Object.keys(process.env).some((name) => name !== 'PWD'),
  root: process.getuid?.() === 0,
  writing: ['/written', '/dev/written', '/tmp/written'].some((place) =>
    works(() => writeFileSync(place, 'x')),
  ),
  starting: spawnSync(process.execPath, ['--version']).status === 0,
  socket: await connects({ path: socket! }),
  network: await connects({ port: Number(port), host: '127.0.0.1' }),
  datagram: await sendsDatagram(),
}
process.stdout.write(`${JSON.stringify(Object.keys(attempts).filter((name) => attempts[name]))}\n`)
// The program keeps running, because the server inspects it from outside and then ends it.
setInterval(() => {}, 60_000)
