import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@cloudflare/workerd-linux-64',
  'linux-arm64': '@cloudflare/workerd-linux-arm64',
  'darwin-x64': '@cloudflare/workerd-darwin-64',
  'darwin-arm64': '@cloudflare/workerd-darwin-arm64',
}

/** The program that runs functions, an optional dependency of this system and processor; undefined where it is not installed. */
export function workerdProgram(platform = process.platform, arch = process.arch): string | undefined {
  const name = packages[`${platform}-${arch}`]
  if (name === undefined) return undefined
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const program = path.join(path.dirname(manifest), 'bin', 'workerd')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}
