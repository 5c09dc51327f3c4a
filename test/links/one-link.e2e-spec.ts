import {
  api,
  close,
  companies,
  ends,
  get,
  held,
  invoices,
  make,
  makeSeveral,
  type Named,
  nextOf,
  open,
  otherEnd,
  people,
  put,
  reference,
  service,
  shownLinked,
  stateOf,
  tasksOf,
  valueOf,
  versionOf,
} from './linking.js';

describe('4.2 linked tasks', () => {
  beforeAll(open);
  afterAll(close);

  describe('beyond the interface: one link at a time', () => {
    const linksOf = ([workflow, id]: Named, name: string, other?: string): string =>
      `${tasksOf(workflow)}/${encodeURIComponent(id)}/links/${encodeURIComponent(name)}` +
      (other === undefined ? '' : `/${encodeURIComponent(other)}`);

    it.each(ends)('$title: GET lists the linked tasks, PUT links, DELETE unlinks', async (end) => {
      const [task, other] = [await make(end.workflow), await make(end.other)];
      const path = linksOf(task, end.name);
      expect((await api.get(path).expect(200)).body).toEqual([]);
      const linked = await api.put(`${path}/${other[1]}`).expect(204);
      expect(linked.text).toBe('');
      expect((await api.get(path).expect(200)).body).toEqual(await shownLinked(other));
      expect([await held(task, end), await held(other, otherEnd(end))]).toEqual([[other[1]], [task[1]]]);
      expect((await api.delete(`${path}/${other[1]}`).expect(204)).text).toBe('');
      expect([await held(task, end), await held(other, otherEnd(end))]).toEqual([[], []]);
      expect([await versionOf(task), await versionOf(other)]).toEqual([3, 3]);
    });

    it('PUT adds to what is linked, and is idempotent: a second one counts no version', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      for (const other of [two, one, two, one]) await api.put(linksOf(task, 'Likes', other[1])).expect(204);
      expect((await api.get(linksOf(task, 'Likes'))).body).toEqual(await shownLinked(one, two));
      expect([await versionOf(task), await versionOf(one), await versionOf(two)]).toEqual([3, 2, 2]);
    });

    it.each(ends.slice(0, 6).filter(({ isMultiple, isOtherMultiple }) => !isMultiple || !isOtherMultiple))(
      '$title: PUT moves where a side is single-valued, and counts a version of all that it alters',
      async (end) => {
        const [a, b] = (await makeSeveral(end.workflow, 2)) as [Named, Named];
        const [x, y] = (await makeSeveral(end.other, 2)) as [Named, Named];
        await put(a, { [end.name]: valueOf(end, [x]) }).expect(200);
        await put(b, { [end.name]: valueOf(end, [y]) }).expect(200);
        await api.put(linksOf(a, end.name, y[1])).expect(204);
        const shown = [await held(a, end), await held(b, end), await held(x, otherEnd(end)), await held(y, otherEnd(end))]; // prettier-ignore
        expect(shown).toEqual([
          end.isMultiple ? [x[1], y[1]] : [y[1]],
          end.isOtherMultiple ? [y[1]] : [],
          end.isMultiple ? [a[1]] : [],
          end.isOtherMultiple ? [a[1], b[1]] : [a[1]],
        ]);
        const versions = [];
        for (const one of [a, b, x, y]) versions.push(await versionOf(one));
        expect(versions).toEqual([3, end.isOtherMultiple ? 2 : 3, end.isMultiple ? 2 : 3, 3]);
      },
    );

    it('DELETE is 404 when that link is not there', async () => {
      const [task, other, third] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(task, { Likes: [reference(other)], Next: reference(other) }).expect(200);
      const before = await stateOf(task, other, third);
      await api.delete(linksOf(task, 'Likes', third[1])).expect(404);
      await api.delete(linksOf(task, 'Next', third[1])).expect(404);
      await api.delete(linksOf(task, 'Boss', other[1])).expect(404);
      await api.delete(linksOf(task, 'Liked by', other[1])).expect(404);
      await api.delete(linksOf(task, 'Likes', task[1])).expect(404);
      await api.delete(linksOf(task, 'Likes', 'nobody')).expect(404);
      expect(await stateOf(task, other, third)).toEqual(before);
      await api.delete(linksOf(task, 'Likes', other[1])).expect(204);
      await api.delete(linksOf(task, 'Likes', other[1])).expect(404);
    });

    it.each(['get', 'put', 'delete'] as const)(
      '%s is 404 when a task or the relationship is not there',
      async (verb) => {
        const [task, other] = (await makeSeveral('people', 2)) as [Named, Named];
        const more = verb === 'get' ? undefined : other[1];
        const nobody: Named = ['people', 'nobody'];
        const answers = [
          await api[verb](linksOf(nobody, 'Likes', more)),
          await api[verb](linksOf(task, 'Nothing', more)),
          await api[verb](linksOf(task, 'Nick', more)),
          await api[verb](linksOf(task, 'Stage', more)),
          await api[verb](linksOf(task, '__proto__', more)),
          await api[verb](linksOf(task, 'likes', more)),
          await api[verb](linksOf(['people', '\u0000'], 'Likes', more)),
          ...(verb === 'get' ? [] : [await api[verb](linksOf(task, 'Likes', 'nobody'))]),
          ...(verb === 'get' ? [] : [await api[verb](linksOf(task, 'Employers', other[1]))]),
          ...(verb === 'get' ? [] : [await api[verb](linksOf(task, 'Likes', '\u0000'))]),
        ];
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
        expect(await versionOf(task)).toBe(1);
      },
    );

    it.each(['get', 'put', 'delete'] as const)(
      '%s: a workflow without a Unique ID is 422 on base',
      async (verb) => {
        const path = `${tasksOf('notes')}/1/links/Anything${verb === 'get' ? '' : '/2'}`;
        expect((await api[verb](path).expect(422)).body).toEqual({
          errors: { base: ['This workflow has no Unique ID field'] },
        });
      },
    );

    it('another workspace’s tasks are not there, in the same words', async () => {
      const theirs = service.client(await service.key('other'));
      await theirs.post(people, { No: 555_555 }).expect(201);
      const task = await make('people');
      const bodies = [];
      for (const id of ['555555', '555556']) {
        const { body } = await api.put(linksOf(task, 'Likes', id)).expect(404);
        bodies.push(JSON.stringify({ ...(body as object), request_id: '' }).replace(id, '…'));
        await api.get(linksOf(['people', id], 'Likes')).expect(404);
        await api.put(linksOf(['people', id], 'Likes', task[1])).expect(404);
      }
      expect(bodies[0]).toEqual(bodies[1]);
      const { body } = await theirs.get(`${people}/555555`).expect(200);
      expect(body).toHaveProperty('Liked by', []);
    });

    it('PUT to the task itself is 422 on the relationship', async () => {
      const task = await make('people');
      for (const name of ['Next', 'Previous', 'Reports', 'Boss', 'Likes', 'Liked by']) {
        const { body } = await api.put(linksOf(task, name, task[1])).expect(422);
        expect(body).toEqual({ errors: { [name]: ['cannot be the task itself'] } });
      }
      expect(await versionOf(task)).toBe(1);
    });

    it.each(['a/b?#%25', '💡'])('a Unique ID may be %j', async (id) => {
      const company: Named = ['companies', id];
      await api.post(companies, { 'Company ID': id }).expect(201);
      await api.post(invoices, { 'Invoice ID': `${id}!` }).expect(201);
      await api.put(linksOf(company, 'Invoices', `${id}!`)).expect(204);
      expect((await api.get(linksOf(company, 'Invoices'))).body).toEqual(
        await shownLinked(['invoices', `${id}!`]),
      );
      await api.delete(linksOf(['invoices', `${id}!`], 'Company', id)).expect(204);
      expect((await api.get(linksOf(company, 'Invoices'))).body).toEqual([]);
    });

    it('a request body is ignored', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await api.put(linksOf(task, 'Likes', one[1]), { No: two[1], Likes: [] }).expect(204);
      await api.put(linksOf(task, 'Likes', two[1]), 'not JSON').expect(204);
      await api
        .delete(linksOf(task, 'Likes', one[1]))
        .send({ No: two[1] })
        .expect(204);
      expect((await api.get(linksOf(task, 'Likes'))).body).toEqual(await shownLinked(two));
    });

    it('If-Match on PUT and DELETE compares the version of the task of the path: 412 when stale', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      const tagOf = async (named: Named): Promise<string> => String((await get(named)).headers['etag']);
      const stale = await tagOf(task);
      await api
        .put(linksOf(task, 'Likes', one[1]))
        .set('If-Match', stale)
        .expect(204);
      const before = await stateOf(task, one, two);
      await api
        .put(linksOf(task, 'Likes', two[1]))
        .set('If-Match', stale)
        .expect(412);
      await api
        .put(linksOf(task, 'Likes', one[1]))
        .set('If-Match', stale)
        .expect(412);
      await api
        .delete(linksOf(task, 'Likes', one[1]))
        .set('If-Match', stale)
        .expect(412);
      expect(await stateOf(task, one, two)).toEqual(before);
      await api.put(linksOf(task, 'Likes', two[1])).set('If-Match', await tagOf(task)).expect(204); // prettier-ignore
      await api.delete(linksOf(task, 'Likes', one[1])).set('If-Match', await tagOf(task)).expect(204); // prettier-ignore
      await api
        .delete(linksOf(task, 'Likes', two[1]))
        .set('If-Match', '*')
        .expect(204);
    });

    it('a key of scope read may GET, and is refused PUT and DELETE (403)', async () => {
      const reader = service.client(await service.key('acme', 'read'));
      const [task, other] = (await makeSeveral('people', 2)) as [Named, Named];
      await put(task, { Likes: [reference(other)] }).expect(200);
      expect((await reader.get(linksOf(task, 'Likes')).expect(200)).body).toEqual(await shownLinked(other));
      await reader.put(linksOf(task, 'Likes', other[1])).expect(403);
      await reader.delete(linksOf(task, 'Likes', other[1])).expect(403);
      await reader.put(linksOf(task, 'Nothing', other[1])).expect(403);
      expect(await versionOf(task)).toBe(2);
    });

    describe('GET', () => {
      let task: Named;
      let some: readonly Named[];
      let path: string;

      beforeAll(async () => {
        some = await makeSeveral('people', 5);
        task = await make('people', { Likes: some.toReversed().map(reference), Next: reference(some[0] ?? ['people', '']) }); // prettier-ignore
        path = linksOf(task, 'Likes');
      });

      it('pages as lists do: `_limit`, `_after` and Link', async () => {
        const expected = await shownLinked(...some);
        const first = await api.get(`${path}?_limit=2`).expect(200);
        expect(first.body).toEqual(expected.slice(0, 2));
        expect(first.headers['link']).toMatch(/^<http:\/\/[^/]+\/[^>]*\/links\/Likes\?_limit=2&_after=[\w-]+>; rel="next"$/); // prettier-ignore
        const second = await api.get(nextOf(first.headers)).expect(200);
        expect(second.body).toEqual(expected.slice(2, 4));
        const third = await api.get(nextOf(second.headers)).expect(200);
        expect([third.body, third.headers['link']]).toEqual([expected.slice(4), undefined]);
        const exact = await api.get(`${path}?_limit=5`).expect(200);
        expect([exact.body, exact.headers['link']]).toEqual([expected, undefined]);
        const single = await api.get(`${linksOf(task, 'Next')}?_limit=1`).expect(200);
        expect([single.body, single.headers['link']]).toEqual([expected.slice(0, 1), undefined]);
      });

      it('`_after` without `_limit`, or from another list, is 422', async () => {
        const { headers } = await api.get(`${path}?_limit=1`).expect(200);
        const after = new URLSearchParams(nextOf(headers).split('?')[1]).get('_after') ?? '';
        const other = linksOf(task, 'Liked by');
        for (const address of [
          `${path}?_after=${after}`,
          `${path}?_limit=1&_after=x`,
          `${path}?_limit=1&_after=`,
          `${other}?_limit=1&_after=${after}`,
          `${linksOf(some[0] ?? task, 'Likes')}?_limit=1&_after=${after}`,
          `${people}?_limit=1&_after=${after}`,
        ]) {
          const { body } = await api.get(address).expect(422);
          expect(Object.keys((body as { errors: object }).errors)).toEqual(['_after']);
        }
      });

      it.each(['_limit=0', '_sort=No', '_count=true', 'No=1', '__proto__=1'])(
        'any other parameter or limit, %s, is 422',
        async (query) => {
          const { body } = await api.get(`${path}?${query}`).expect(422);
          expect(Object.keys((body as { errors: object }).errors)).toEqual([query.replace(/=.*/, '')]);
        },
      );

      it('a cursor leads on where the task behind which it stands is linked no more', async () => {
        const { headers } = await api.get(`${path}?_limit=2`).expect(200);
        await api.delete(linksOf(task, 'Likes', some[1]?.[1] ?? '')).expect(204);
        expect((await api.get(nextOf(headers)).expect(200)).body).toEqual(await shownLinked(...some.slice(2, 4))); // prettier-ignore
      });
    });
  });
});
