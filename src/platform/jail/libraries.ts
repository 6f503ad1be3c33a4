import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

/**
 * The shared libraries of a program of ours, its loader included, by the paths at which the program looks for them. Uses the system's `ldd`, which
 * may run the program's loader: never call this for a program that strangers have given. Throws if the file is not a program.
 */
export async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ldd', [program], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    timeout: 10_000,
  })
  const places = stdout.split('\n').flatMap((line) => line.match(/(?:=> |^\s*)(\/\S+)/)?.slice(1, 2) ?? [])
  return [...new Set(places)].filter((place) => existsSync(place))
}
