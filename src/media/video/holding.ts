import { heldTables } from '#platform/holdings'

/** The video jobs of an account, with their reference pictures. */
export const videosHolding = heldTables('video', [
  {
    name: 'videos.jobs',
    blobs: `array(select p ->> 'key' from json_array_elements(t.pictures) p)`,
  },
])
