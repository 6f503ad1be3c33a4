import { copyFile, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findPlace, makePlace } from './place.ts'

const folders = () => mkdtempDisposable(path.join(tmpdir(), 'place-'))

test('a data folder that was copied has none of the databases of the first, and may make its own', async () => {
  await using parent = await folders()
  const [one, other] = ['one', 'other'].map((name) => path.join(parent.path, name)) as [string, string]
  for (const root of [one, other]) await mkdir(root)
  const place = await makePlace(one, { id: 'first', isAdopted: false })
  expect(await findPlace(one, 'first')).toBe(place)
  await copyFile(path.join(one, 'id'), path.join(other, 'id'))
  expect(await findPlace(other, 'twin')).toBeUndefined()
  expect(await makePlace(other, { id: 'twin', isAdopted: false })).not.toBe(place)
  // The file has both lines: once adopted, the folder has its old place again.
  expect(await readFile(path.join(other, 'id'), 'utf8')).toContain(place)
  expect(await findPlace(other, 'first')).toBe(place)
})

test('a place that an earlier release wrote belongs to the folder in which it lies', async () => {
  await using parent = await folders()
  await writeFile(path.join(parent.path, 'id'), 'a6b0b8a4-0000-4000-8000-000000000001\n')
  const owner = { id: 'folder-1', isAdopted: false }
  expect(await makePlace(parent.path, owner)).toBe('a6b0b8a4-0000-4000-8000-000000000001')
  expect(await findPlace(parent.path, 'folder-1')).toBe('a6b0b8a4-0000-4000-8000-000000000001')
  expect(await findPlace(parent.path, 'folder-2')).toBeUndefined()
})
