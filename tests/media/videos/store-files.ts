import type { World } from '../../harness/world.ts'

/** Keys of reference pictures that are in the store for good. */
export const filesOfStore = ({ app }: World): Promise<{ key: string }[]> =>
  app.db.query(
    {
      text: `select p->>'key' as key from videos.jobs j, json_array_elements(j.pictures) p
        where not exists (select from storage.pending_blobs b where b.key = p->>'key')`,
    },
    [],
  )
