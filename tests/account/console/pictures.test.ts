import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ownRoot } from '#account/console-build'
import { fileOf, pictureBytes, pictureFolder, shotsOf, views } from '../../../scripts/console/pictures.ts'

test('each page of the console has its pictures in both languages and on a phone, of 60 KB at most, and there are no others', async () => {
  const folder = path.join(ownRoot, pictureFolder)
  const wanted = (await shotsOf()).flatMap((shot) => views.map((view) => fileOf(shot, view)))
  expect(readdirSync(folder).toSorted(), 'npm run console:screenshots takes them').toEqual(wanted.toSorted())
  const sizes = wanted.map((file) => [file, statSync(path.join(folder, file)).size] as const)
  expect(sizes.filter(([, bytes]) => bytes > pictureBytes)).toEqual([])
})
