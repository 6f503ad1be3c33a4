/** The server under test with its clouds, spoken to over HTTP as developers and apps do. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../tests/harness/free-port.ts'
import { dataOf, key, type Running, root, runKherad } from '../stage.ts'

export interface Cloud {
  id: string
  ref: string
  publicKey: string
}

export interface CloudServer extends Running {
  appsPort: number
  /** An answer of the API, which has to be good. */
  call(path: string, body?: object): Promise<Record<string, unknown>>
  create(name: string): Promise<Cloud>
  /** With a package of its own, once it is ready. */
  createDedicated(name: string): Promise<Cloud>
}

/** What is measured is not what a cloud may have. */
const config = `clouds: { clouds_per_project: 1000, rows: 10000000, row_bytes: 9007199254740991,
  daily_egress_bytes: 9007199254740991, daily_function_calls: 1000000000000,
  packages: [{ id: bench, name: { fa: سنجش, en: Bench } }] }
`

export async function startClouds(folder: string): Promise<CloudServer> {
  const file = path.join(folder, 'clouds.config.yaml')
  await writeFile(file, config)
  const appsPort = await freePort()
  const env = { KHERAD_APPS_PORT: String(appsPort), KHERAD_CONFIG: file }
  const running = await runKherad(folder, 'http://127.0.0.1:9', env)
  const call = async (below: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(running.url + below, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return JSON.parse(text)
  }
  const create = async (name: string): Promise<Cloud> => {
    const { id, ref } = (await call('/v1/cloud', { name, plan: 'starter' })) as unknown as Cloud
    const { public_key: publicKey } = await call(`/v1/cloud/${id}/connection`)
    return { id, ref, publicKey: String(publicKey) }
  }
  /** As the operator of this server. */
  const kherad = async (...words: string[]): Promise<unknown> => {
    const cli = { KHERAD_DATA: dataOf(folder), KHERAD_CONFIG: file, PATH: process.env['PATH'] }
    const command = [path.join(root, 'cli/kherad.mjs'), ...words, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: cli })
    return JSON.parse(stdout)
  }
  const createDedicated = async (name: string): Promise<Cloud> => {
    const { data } = (await kherad('account', 'list')) as { data: { id: string }[] }
    await kherad('cloud', 'package', 'give', data[0]!.id, 'bench')
    const { id, ref } = (await call('/v1/cloud', { name, plan: 'dedicated' })) as unknown as Cloud
    while ((await call(`/v1/cloud/${id}`))['status'] === 'provisioning') await pause(20)
    const { public_key: publicKey } = await call(`/v1/cloud/${id}/connection`)
    return { id, ref, publicKey: String(publicKey) }
  }
  return { ...running, appsPort, call, create, createDedicated }
}

/** The value below which this share of the values lies. */
export const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0
