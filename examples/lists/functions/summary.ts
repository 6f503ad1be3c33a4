/** What is left to buy, in a sentence. Reads the tables as its caller: what the caller does not see, it does not see. */
import { createClient } from 'npm:@supabase/supabase-js@2'

interface List {
  title: string
  items: { title: string; done: boolean }[]
}

const number = new Intl.NumberFormat('fa-IR')

function sentenceOf(lists: List[]): string {
  const left = lists.flatMap(({ items }) => items).filter(({ done }) => !done)
  if (lists.length === 0) return 'هنوز فهرستی ندارید.'
  if (left.length === 0) return 'چیزی نمانده است.'
  return `${number.format(left.length)} چیز در ${number.format(lists.length)} فهرست مانده است؛ بعدی: «${left[0]!.title}».`
}

Deno.serve(async (request: Request): Promise<Response> => {
  const cloud = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, {
    global: { headers: { authorization: request.headers.get('authorization') ?? '' } },
    auth: { persistSession: false, autoRefreshToken: false },
  })
  const { data, error } = await cloud
    .from('lists')
    .select('title, items(title, done)')
    .order('created_at')
    .order('created_at', { referencedTable: 'items' })
    .returns<List[]>()
  if (error) return Response.json({ sentence: 'فهرست‌ها خوانده نشد.', why: error.message }, { status: 502 })
  return Response.json({ sentence: sentenceOf(data) })
})
