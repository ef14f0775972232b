import sys,time,json,hashlib,os
import numpy as np
from benchmarks.gpu import calls,SPARSE,DENSE
def main():
    users=int(sys.argv[1]); dens={"s":SPARSE,"d":DENSE}[sys.argv[2]]; ks=list(map(int,sys.argv[3].split(",")))
    t=time.perf_counter(); d=calls(users,dens); print("made",users,round(time.perf_counter()-t,1),flush=True)
    from incrowd.anonymize.glove import Glove
    few=calls(300)
    for k in (2,3): Glove(k=k,device="gpu")(few)
    import cupy
    from incrowd.measure.glove import stretch as ms
    import incrowd.anonymize.glove as G, incrowd.anonymize.glove.gpu as g, incrowd.anonymize.glove.release as R
    import incrowd.kernels.gpu.glove.prints as P, incrowd.kernels.gpu.glove.greedy as gr, incrowd.kernels.gpu.glove.merge as M
    T={}
    def wrap(mod,name,label=None):
        f=getattr(mod,name)
        def w(*a,**k):
            cupy.cuda.Device().synchronize(); t=time.perf_counter()
            try: return f(*a,**k)
            finally:
                cupy.cuda.Device().synchronize(); T[label or name]=T.get(label or name,0)+time.perf_counter()-t
        setattr(mod,name,w)
    wrap(G,"layout"); wrap(P,"prints_of"); wrap(G,"release_of"); wrap(g.CardHerd,"groups"); wrap(M,"join"); wrap(M,"gathered"); wrap(g,"in_order"); wrap(P,"edges_of"); wrap(gr.NearestSlots,"scan") if 0 else None
    if hasattr(g.CardHerd,"_match"): wrap(g.CardHerd,"_match"); wrap(g.CardHerd,"_merge")
    R.Hidden.of=classmethod(lambda cls,herd,work,f=R.Hidden.of.__func__: (lambda t: (f(cls,herd,work), T.__setitem__("hidden_of",time.perf_counter()-t))[0])(time.perf_counter()))
    loops=[]
    if hasattr(gr,"Loop"):
        i0=gr.Loop.__init__
        def init(self,*a,**k): i0(self,*a,**k); loops.append(self)
        gr.Loop.__init__=init
        r0=gr.Loop.run
        def run(self):
            t=time.perf_counter(); n=0
            for x in r0(self):
                n+=1
                if n<=4 or n%10==0: print("  look",n,"living",x,"s",round(time.perf_counter()-t,2),"state",self.state.get()[:7].tolist(),flush=True)
                yield x
            print("  looks",n)
        gr.Loop.run=run
    for k in ks:
        T.clear(); t=time.perf_counter()
        r=Glove(k=k,device="gpu")(d,pseudonym_seed=0)
        s=time.perf_counter()-t
        m=r.provenance["merges"]
        h=hashlib.sha256(str([(a,b,c,str(v)) for a,b,c,v in m]).encode()).hexdigest()[:12]
        if loops: print("state",loops[-1].state.get()[:7].tolist())
        loops.clear()
        print("RUN",users,"k",k,"s",round(s,2),{a:round(b,2) for a,b in T.items()},r.provenance["work"],"merges",len(m),h,"pool MiB",cupy.get_default_memory_pool().total_bytes()>>20,flush=True)
        del r
    import resource; print("rss GiB",resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/2**20)

if __name__=='__main__': main()
