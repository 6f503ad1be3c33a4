/** What is done and what is left, in a sentence. Reads the rows as its caller: what the caller does not see, it does not see. */
import { createClient } from 'npm:@supabase/supabase-js@2'

const number = new Intl.NumberFormat('fa-IR')

export default {
  async fetch(request, env) {
    const cloud = createClient(env.SUPABASE_URL, env.SUPABASE_ANON_KEY, {
      global: { headers: { authorization: request.headers.get('authorization') } },
      auth: { persistSession: false, autoRefreshToken: false },
    })
    const { data, error } = await cloud.from('todos').select('title, done').order('created_at')
    if (error) return Response.json({ sentence: 'کارها خوانده نشد.', why: error.message }, { status: 502 })
    const left = data.filter(({ done }) => !done)
    const sentence =
      data.length === 0
        ? 'هنوز کاری نوشته نشده است.'
        : `${number.format(data.length - left.length)} کار از ${number.format(data.length)} کار انجام شده است${
            left.length === 0 ? '.' : `؛ بعدی: «${left[0].title}».`
          }`
    console.log(`گزارش ${data.length} کار`)
    return Response.json({ sentence, done: data.length - left.length, left: left.length })
  },
}
